// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C program with features that change a function's start, compiled with flags that
// change it, for each target that runs under qemu-user. test/pass/X86/features.cpp is a
// C++ program for this machine.
//
// DEFINE: %{flags} =
// DEFINE: %{triple} = aarch64-linux-gnu
// DEFINE: %{qemu} = qemu-aarch64 -cpu max
// DEFINE: %{build} = %clang_pass --target=%{triple} -fuse-ld=lld -static %s -o %t %{flags} && %patchbay verify %t
// DEFINE: %{check} = %{build} && %{qemu} %t | FileCheck %s
// CHECK: {{^}}all right{{$}}

// REDEFINE: %{flags} = -O0 -fsanitize=kcfi
// RUN: %if qemu-aarch64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -mbranch-protection=standard
// RUN: %if qemu-aarch64 %{ %{check} %}
// REDEFINE: %{flags} = -Oz -mbranch-protection=pac-ret+leaf+b-key
// RUN: %if qemu-aarch64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -falign-functions=64
// RUN: %if qemu-aarch64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -flto -fsanitize=kcfi -fuse-ld=%ld.lld -Wl,--load-pass-plugin=%pass
// RUN: %if qemu-aarch64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -ffunction-sections -Wl,--gc-sections,--icf=all
// RUN: %if qemu-aarch64 %{ %{check} %}
// Without the runtime libraries, these programs are verified but not run.
// REDEFINE: %{flags} = -O2 -fsanitize=shadow-call-stack -ffixed-x18 -nostdlib -Wl,-e,0,--unresolved-symbols=ignore-all
// RUN: %if qemu-aarch64 %{ %{build} %}
// REDEFINE: %{flags} = -O1 -fsanitize=hwaddress -fno-sanitize-link-runtime -nostdlib -Wl,-e,0,--unresolved-symbols=ignore-all
// RUN: %if qemu-aarch64 %{ %{build} %}

// REDEFINE: %{triple} = powerpc64le-linux-gnu
// REDEFINE: %{qemu} = qemu-ppc64le
// REDEFINE: %{flags} = -O0 -fsanitize=kcfi
// RUN: %if qemu-ppc64le %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi
// RUN: %if qemu-ppc64le %{ %{check} %}
// REDEFINE: %{flags} = -O3 -mcpu=pwr10 -fno-pie
// RUN: %if qemu-ppc64le %{ %{build} %}
// REDEFINE: %{flags} = -Oz -fsanitize=kcfi -ffunction-sections -Wl,--gc-sections,--icf=all
// RUN: %if qemu-ppc64le %{ %{check} %}
// REDEFINE: %{flags} = -O2 -flto -fuse-ld=%ld.lld -Wl,--load-pass-plugin=%pass
// RUN: %if qemu-ppc64le %{ %{check} %}

// REDEFINE: %{triple} = riscv64-linux-gnu
// REDEFINE: %{qemu} = qemu-riscv64
// REDEFINE: %{flags} = -O0 -fsanitize=kcfi
// RUN: %if qemu-riscv64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi
// RUN: %if qemu-riscv64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -mno-relax -march=rv64imafd
// RUN: %if qemu-riscv64 %{ %{check} %}
// REDEFINE: %{flags} = -Oz -mllvm -enable-machine-outliner=always -msave-restore
// RUN: %if qemu-riscv64 %{ %{check} %}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi -flto -fuse-ld=%ld.lld -Wl,--load-pass-plugin=%pass
// RUN: %if qemu-riscv64 %{ %{check} %}

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define OPAQUE __attribute__((noinline, optnone))
#define CHECK(condition)                                                       \
  do                                                                           \
    if (!(condition)) {                                                        \
      printf("line %d: %s\n", __LINE__, #condition);                           \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

static int constructed;
__attribute__((constructor(101))) static void construct(void) { constructed = 42; }

__attribute__((weak)) OPAQUE int by_weak(int a) { return a + 1; }
int by_alias(int a) __attribute__((alias("by_weak")));
static int implementation(int a) { return a * 5; }
static int (*resolver(void))(int) { return implementation; }
int by_ifunc(int a) __attribute__((ifunc("resolver")));
__attribute__((section("own_section"))) OPAQUE int in_section(int a) { return a - 1; }
__attribute__((aligned(128))) OPAQUE int aligned(int a) { return a ^ 3; }

OPAQUE static int count_down(int a) { return a ? count_down(a - 1) : 7; }
static int tail(int a) { return count_down(a); }

static jmp_buf buffer;
OPAQUE static void jump(int a) {
  if (a == 0)
    longjmp(buffer, 9);
  jump(a - 1);
}

OPAQUE static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count--)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

struct big {
  long words[12];
};
OPAQUE static struct big big(struct big a, __int128 b, double c) {
  a.words[11] += (long)b + (long)c;
  return a;
}

int main(void) {
  CHECK(constructed == 42);
  int (*volatile indirect)(int) = by_weak;
  CHECK(indirect(1) == 2 && by_alias(2) == 3 && by_ifunc(3) == 15);
  CHECK(in_section(3) == 2 && aligned(5) == 6 && tail(100) == 7);
  switch (setjmp(buffer)) {
  case 0:
    jump(3);
    CHECK(0);
  case 9:
    break;
  default:
    CHECK(0);
  }
  CHECK(sum(4, 1, 2, 3, 4) == 10 && sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 78);
  struct big a = {{0}};
  a.words[11] = 1;
  CHECK(big(a, 2, 3).words[11] == 6);
  puts("all right");
}
