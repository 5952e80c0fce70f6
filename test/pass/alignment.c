// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function has the requested alignment, and its slot is still at entry-16.
// DEFINE: %{target} =
// DEFINE: %{cflags} =
// DEFINE: %{check} = %clang_pass --target=%{target} %{cflags} -c %s -o %t.o && %shared %t.o -o %t.so && %records %t.so | FileCheck %s

// REDEFINE: %{target} = x86_64-linux-gnu
// REDEFINE: %{cflags} = -O2
// RUN: %{check}
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi
// RUN: %{check}
// REDEFINE: %{cflags} = -Os -fsanitize=kcfi
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -O2 -falign-functions=32
// RUN: %{check} --check-prefix=ALIGN32
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi -falign-functions=64
// RUN: %{check} --check-prefix=ALIGN64

// REDEFINE: %{target} = aarch64-linux-gnu
// REDEFINE: %{cflags} = -O2
// RUN: %{check}
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi
// RUN: %{check}
// REDEFINE: %{cflags} = -Os -fsanitize=kcfi
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -O2 -falign-functions=32
// RUN: %{check} --check-prefix=ALIGN32
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi -falign-functions=64
// RUN: %{check} --check-prefix=ALIGN64

// REDEFINE: %{target} = powerpc64le-linux-gnu
// REDEFINE: %{cflags} = -O2
// RUN: %{check}
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi
// RUN: %{check}
// REDEFINE: %{cflags} = -Os -fsanitize=kcfi
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -O2 -falign-functions=32
// RUN: %{check} --check-prefix=ALIGN32
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi -falign-functions=64
// RUN: %{check} --check-prefix=ALIGN64

// On this target code may be at any even address, and linkers keep alignment when they
// shorten the code before it.
// REDEFINE: %{target} = riscv64-linux-gnu
// REDEFINE: %{cflags} = -O2
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -O2 -mno-relax
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -Os -fsanitize=kcfi
// RUN: %{check} --check-prefix=SMALL
// REDEFINE: %{cflags} = -O2 -falign-functions=32
// RUN: %{check} --check-prefix=ALIGN32
// REDEFINE: %{cflags} = -O2 -fsanitize=kcfi -falign-functions=64
// RUN: %{check} --check-prefix=ALIGN64

// records.py fails if a slot is not aligned or has the wrong offset. Each function
// follows one of odd length.

void outside(void);
#define ODD(name) void name##_odd(void) { __asm__("nop"); outside(); }
#define IN_SECTION __attribute__((section("own")))

// CHECK: plain_default {{.*}} align={{(16|32|64|128|256|512|1024|2048|4096|8192) *$}}
// SMALL: plain_default {{.*}} align={{[0-9]+}}
// ALIGN32: plain_default {{.*}} align={{(32|64|128|256|512|1024|2048|4096|8192) *$}}
// ALIGN64: plain_default {{.*}} align={{(64|128|256|512|1024|2048|4096|8192) *$}}
ODD(a) void plain_default(void) {}
// CHECK: aligned4 {{.*}} align={{[0-9]+}}
ODD(b) __attribute__((aligned(4))) void aligned4(void) {}
// CHECK: aligned64 {{.*}} align={{(64|128|256|512|1024|2048|4096|8192) *$}}
// SMALL: aligned64 {{.*}} align={{(64|128|256|512|1024|2048|4096|8192) *$}}
// ALIGN32: aligned64 {{.*}} align={{(64|128|256|512|1024|2048|4096|8192) *$}}
ODD(c) __attribute__((aligned(64))) void aligned64(void) {}
// CHECK: section2 {{.*}} align={{[0-9]+}}
IN_SECTION ODD(d) IN_SECTION __attribute__((aligned(2))) void section2(void) {}
// CHECK: section32 {{.*}} align={{(32|64|128|256|512|1024|2048|4096|8192) *$}}
// SMALL: section32 {{.*}} align={{(32|64|128|256|512|1024|2048|4096|8192) *$}}
IN_SECTION ODD(e) IN_SECTION __attribute__((aligned(32))) void section32(void) {}
