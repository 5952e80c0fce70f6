// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * Exceptions pass timed functions with any unwinder, and exit handlers are called.
 * Unwinders: libgcc_s.so.1, a private copy (-static-libgcc), LLVM's libunwind, shared
 * or static, and the unwinder of a shared object in a C program. In all of these
 * programs, libgcc_s.so.1 unwinds threads that end by pthread_exit().
 */
// DEFINE: %{program} =
// DEFINE: %{llvm} = -DLLVM_UNWINDER -rtlib=compiler-rt -unwindlib=libunwind -L %llvm_lib -Wl,-rpath,%llvm_lib
// DEFINE: %{said} = FileCheck %s --check-prefix=SAID
/* The report has a call only if its exit handler was called. */
// DEFINE: %{trace} = ./%{program} | %{said} \
// DEFINE:   && %patchbay record --force -t function_graph -o graph -- ./%{program} 2>err | %{said} \
// DEFINE:   && %patchbay record --force -t function_profile --histogram -o histogram -- ./%{program} 2>err | %{said} \
// DEFINE:   && %patchbay record --force -t function_duration -o data -- ./%{program} 2>err | %{said} \
// DEFINE:   && %patchbay report -f calls,name data | FileCheck %s && %patchbay report -f calls,name graph | FileCheck %s \
// DEFINE:   && %patchbay report -f calls,name histogram | FileCheck %s
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %buildxx %s -o shared
// REDEFINE: %{program} = shared
// RUN: %{trace}
// RUN: %buildxx -static-libgcc -static-libstdc++ %s -o static
// REDEFINE: %{program} = static
// RUN: %{trace}
// RUN: %buildxx -DOBJECT -shared -fPIC -static-libgcc -static-libstdc++ %s -o object.so
// RUN: %plain -DHOST -x c %s -o host
// REDEFINE: %{program} = host
// RUN: %{trace}
// RUN: %if libunwind %{ %buildxx %{llvm} %s -o llvm-shared %}
// REDEFINE: %{program} = llvm-shared
// RUN: %if libunwind %{ %{trace} %}
// RUN: %if libunwind %{ %buildxx %{llvm} -static-libgcc -static-libstdc++ %s -o llvm-static %}
// REDEFINE: %{program} = llvm-static
// RUN: %if libunwind %{ %{trace} %}
// SAID: {{^}}caught 700 noted 120{{[01]}} sum 5050{{$}}
// CHECK-DAG: {{^ *}}3100  plain(int)
// CHECK-DAG: {{^ *}}1200  guarded(int)
// CHECK-DAG: {{^ *}}200  again(int)
// CHECK-DAG: {{^ *}}100  nested()
// CHECK-DAG: {{^ *}}100  returns(int)
#ifdef HOST
#include <dlfcn.h>
#include <string.h>
int main(int argc, char **argv)
{
	char path[4096];
	void *object;
	int (*run)(void);

	(void)argc;

	strcpy(path, argv[0]);
	strcpy(strrchr(path, '/') + 1, "object.so");
	object = dlopen(path, RTLD_NOW);
	run = object ? (int (*)(void))dlsym(object, "run_all") : 0;
	return run ? run() : 1;
}
#else
#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define OPAQUE __attribute__((noinline))
static int Noted, Caught;
static volatile int One = 1;

/* Called while exceptions pass. */
OPAQUE static void noted() { ++Noted; __asm__ volatile(""); }
struct Guard {
  ~Guard() { noted(); }
};
OPAQUE static int plain(int Depth) {
  if (!Depth)
    throw std::runtime_error("plain");
  return plain(Depth - 1) + One;
}
OPAQUE static int guarded(int Depth) {
  Guard G;
  if (!Depth)
    return plain(2);
  return guarded(Depth - 1) + One;
}
OPAQUE static int again(int Depth) {
  try {
    return guarded(Depth) + One;
  } catch (const std::exception &) {
    ++Caught;
    throw;
  }
}
struct Nested {
  ~Nested() {
    try {
      again(1);
    } catch (const std::exception &) {
      ++Caught;
    }
  }
};
OPAQUE static int nested() {
  Nested N;
  return plain(1) + One;
}
template <typename Call> static void catchIt(Call Of) {
  try {
    Of();
  } catch (const std::exception &) {
    ++Caught;
  }
}
OPAQUE static void leave() {
  Guard G;
  pthread_exit(nullptr);
}
OPAQUE [[maybe_unused]] static void *end(void *) {
  leave();
  return nullptr;
}
OPAQUE static int returns(int A) { return A + One; }

extern "C" int run_all() {
  [[maybe_unused]] pthread_t Thread;
  int Sum = 0;
  for (int I = 0; I < 100; ++I) {
    catchIt([] { plain(19); });
    catchIt([] { guarded(4); });
    catchIt([] { again(4); });
    catchIt([] { nested(); });
    Sum += returns(I);
  }
#ifndef LLVM_UNWINDER // with LLVM's libunwind pthread_exit() fails even untraced
  if (pthread_create(&Thread, nullptr, end, nullptr) || pthread_join(Thread, nullptr))
    return 1;
#endif
  std::printf("caught %d noted %d sum %d\n", Caught, Noted, Sum);
  return 0;
}
#ifndef OBJECT
int main() { return run_all(); }
#endif
#endif
