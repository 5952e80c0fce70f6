// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with a known number of calls. -DLIBRARY compiles the library that the
// program needs.
#include <unistd.h>

struct Cache {
  int Hits = 0;
  int get(int Key);
};
extern "C" int from_library(int N);

#ifdef LIBRARY
extern "C" int from_library(int N) { return N + 1; }
#else
__attribute__((noinline)) int Cache::get(int Key) { return Hits += Key; }

template <typename T>
__attribute__((noinline)) T
a_template_whose_name_is_too_long_for_its_column(T X) {
  return X + X;
}

int main(int Argc, char **Argv) {
  Cache C;
  int Sum = 0;
  for (int I = 0; I < 1000; ++I)
    Sum += C.get(I);
  for (int I = 0; I < 30; ++I)
    Sum = from_library(Sum);
  Sum = a_template_whose_name_is_too_long_for_its_column(Sum);
  if (Argc > 1)
    execl(Argv[1], Argv[1], nullptr);
  return Sum == 0;
}
#endif
