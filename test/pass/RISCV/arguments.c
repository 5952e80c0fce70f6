// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of arguments and return values by the rules of RISC-V,
// optimized and not, and with fewer floating-point registers.
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,LP64D
// RUN: %clang_pass --target=riscv64-linux-gnu -O0 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,LP64D
// RUN: %clang_pass --target=riscv64-linux-gnu -mabi=lp64f -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,LP64F
// RUN: %clang_pass --target=riscv64-linux-gnu -mabi=lp64 -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,LP64
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64imac -mabi=lp64 -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,LP64

typedef __builtin_va_list va_list;
typedef struct { long a, b; } two_longs;
typedef struct { long a, b, c; } three_longs;
typedef struct { float a, b, c; } three_floats;
typedef struct { double a, b; } two_doubles;
typedef struct { _Alignas(16) long a; } aligned;
typedef struct { float a; int b; } float_int;
typedef struct { float a; double b; } float_double;
typedef float v4 __attribute__((vector_size(16)));

// CHECK-DAG: {{^}}ten gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten(int a, int b, int c, int d, int e, int f, int g, char h, short i, long j) {}
// Integer registers hold the arguments that floating-point registers cannot.
// LP64D-DAG: {{^}}ten_floats gp=2 fp=8 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64F-DAG: {{^}}ten_floats gp=6 fp=4 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64-DAG: {{^}}ten_floats gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten_floats(double a, double b, double c, double d, double e, double f, float g, float h, float i, float j) {}
// CHECK-DAG: {{^}}split_pair gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void split_pair(int a, int b, int c, int d, int e, int f, int g, two_longs h, int i) {}
// Half of a wide integer may be in the last register. A wide integer on the stack
// starts at a multiple of its size.
// CHECK-DAG: {{^}}wide gp=8 fp=0 stack=1 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide(int a, int b, int c, int d, int e, int f, int g, __int128 h) { return h; }
// CHECK-DAG: {{^}}wide_on_stack gp=8 fp=0 stack=4 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide_on_stack(int a, int b, int c, int d, int e, int f, int g, int h, int i, __int128 j) { return j; }
// CHECK-DAG: {{^}}aligned_value gp=4 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void aligned_value(int a, aligned b, int c) {}
// Larger structures are passed by address.
// CHECK-DAG: {{^}}hidden gp=3 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
three_longs hidden(three_longs a, int b) { return a; }
// CHECK-DAG: {{^}}floats gp=3 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
three_floats floats(three_floats a, int b) { return a; }
// LP64D-DAG: {{^}}doubles gp=0 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64F-DAG: {{^}}doubles gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64-DAG: {{^}}doubles gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
two_doubles doubles(two_doubles a) { return a; }
// LP64D-DAG: {{^}}mixed gp=1 fp=3 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64F-DAG: {{^}}mixed gp=3 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64-DAG: {{^}}mixed gp=3 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
float_int mixed(float_int a, float_double b) { return a; }
// LP64D-DAG: {{^}}single gp=0 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64F-DAG: {{^}}single gp=0 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
// LP64-DAG: {{^}}single gp=1 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
float single(float a) { return a; }
// C passes short vectors and the widest numbers like integers.
// CHECK-DAG: {{^}}vector gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
v4 vector(v4 a) { return a; }
// CHECK-DAG: {{^}}quad gp=3 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
long double quad(long double a, int b) { return a; }
// CHECK-DAG: {{^}}unused_rest gp=2 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
void unused_rest(int a, long b, ...) {}
// CHECK-DAG: {{^}}used_rest gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
long used_rest(int a, long b, ...) {
  va_list rest;
  __builtin_va_start(rest, b);
  long result = __builtin_va_arg(rest, long);
  __builtin_va_end(rest);
  return result;
}
// CHECK-DAG: {{^}}unused_rest_on_stack gp=8 fp=0 stack=1 ret=void {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
void unused_rest_on_stack(int a, int b, int c, int d, int e, int f, int g, int h, int i, ...) {}
// CHECK-DAG: {{^}}rest_on_stack gp=8 fp=0 stack=1 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
long rest_on_stack(int a, int b, int c, int d, int e, int f, int g, int h, int i, ...) {
  va_list rest;
  __builtin_va_start(rest, i);
  long result = __builtin_va_arg(rest, long);
  __builtin_va_end(rest);
  return result;
}
