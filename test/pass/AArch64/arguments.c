// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of arguments and return values where AAPCS64 differs from
// System V x86-64, optimized and not.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=aarch64-linux-gnu -O0 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s

typedef __builtin_va_list va_list;
typedef struct { long a, b; } two_longs;
typedef struct { long a, b, c; } three_longs;
typedef struct { float a, b, c; } three_floats;
typedef struct { double a, b, c, d; } four_doubles;
typedef float v4 __attribute__((vector_size(16)));

// CHECK-DAG: {{^}}ten gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten(int a, int b, int c, int d, int e, int f, int g, char h, short i, long j) {}
// CHECK-DAG: {{^}}ten_doubles gp=0 fp=8 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j) {}
// A pair is passed as a whole: here on the stack, and so are later arguments.
// CHECK-DAG: {{^}}split_pair gp=7 fp=0 stack=3 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void split_pair(int a, int b, int c, int d, int e, int f, int g, two_longs h, int i) {}
// An __int128 starts at an even register.
// CHECK-DAG: {{^}}wide gp=4 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide(int a, __int128 b) { return b; }
// On the stack, an __int128 starts at a multiple of its size.
// CHECK-DAG: {{^}}wide_aligned gp=8 fp=0 stack=4 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide_aligned(two_longs a, two_longs b, two_longs c, two_longs d, int e, __int128 f) { return f; }
// x8 has the result's address. The record does not count x8 as argument or result.
// CHECK-DAG: {{^}}hidden gp=2 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
three_longs hidden(three_longs a, int b) { return a; }
// CHECK-DAG: {{^}}floats gp=0 fp=3 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
three_floats floats(three_floats a) { return a; }
// Members of one argument are adjacent on the stack.
// CHECK-DAG: {{^}}floats_on_stack gp=0 fp=6 stack=3 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void floats_on_stack(three_floats a, three_floats b, three_floats c, float d) {}
// CHECK-DAG: {{^}}four gp=1 fp=4 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
four_doubles four(int a, four_doubles b) { return b; }
// CHECK-DAG: {{^}}vector gp=0 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
v4 vector(v4 a) { return a; }
// CHECK-DAG: {{^}}quad gp=0 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
long double quad(long double a) { return a; }
// Without optimization, LLVM always keeps unnamed arguments. With optimization, LLVM
// keeps them only if they are used. The counts are the same.
// CHECK-DAG: {{^}}used_rest gp=2 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
double used_rest(int a, three_longs b, double c, ...) {
  va_list rest;
  __builtin_va_start(rest, c);
  double result = __builtin_va_arg(rest, double);
  __builtin_va_end(rest);
  return result;
}
// CHECK-DAG: {{^}}unused_rest gp=8 fp=0 stack=1 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
int unused_rest(int a, int b, int c, int d, int e, int f, int g, int h, int i, ...) { return i; }
// CHECK-DAG: {{^}}not_optimized gp=1 fp=1 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
__attribute__((noinline, optnone)) int not_optimized(int a, float b, ...) { return a; }
