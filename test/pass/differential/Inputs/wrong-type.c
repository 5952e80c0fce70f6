// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function through a pointer of its type or, with an argument, of another type.
// kCFI allows the first call and traps the second.
#include <stdio.h>

__attribute__((noinline)) static int callee(int a) { return a + 1; }
int (*volatile right)(int) = callee;
int (*volatile wrong)(long) = (int (*)(long))callee;

int main(int argc, char **argv) {
  int result = argc > 1 ? wrong(1) : right(1);
  return printf("returned %d\n", result) < 0;
}
