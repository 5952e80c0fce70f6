// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A template and an exception; for tests of the installed tree.
#include <cstdio>
#include <stdexcept>

template <typename T> [[gnu::noinline]] T half(T value) {
  if (value % 2)
    throw std::domain_error("odd");
  return value / 2;
}

int main(int argc, char **) {
  int value = 40 * argc;
  try {
    for (;;)
      value = half(value);
  } catch (const std::domain_error &error) {
    std::printf("%s at %d\n", error.what(), value);
  }
}
