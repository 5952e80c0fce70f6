// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of arguments and return values by the rules of ELFv2, optimized and not.
// Every argument has words in the parameter save area, of which the first eight are
// passed in registers.
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mabi=ibmlongdouble -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mabi=ibmlongdouble -O0 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mabi=ibmlongdouble -mcpu=pwr10 -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mabi=ieeelongdouble -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=IEEE

typedef __builtin_va_list va_list;
typedef struct { long a, b; } two_longs;
typedef struct { long a, b, c; } three_longs;
typedef struct { long a[9]; } nine_longs;
typedef struct { float a, b, c; } three_floats;
typedef struct { float a[8]; } eight_floats;
typedef struct { double a, b; } two_doubles;
typedef struct { _Alignas(16) long a; } aligned;
typedef struct { float a; int b; } float_int;
typedef float v4 __attribute__((vector_size(16)));

// CHECK-DAG: {{^}}ten gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten(int a, int b, int c, int d, int e, int f, int g, char h, short i, long j) {}
// The word of a floating-point register argument is skipped.
// CHECK-DAG: {{^}}skipped gp=4 fp=2 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void skipped(double a, int b, float c, int d) {}
// Words in memory are skipped, too.
// CHECK-DAG: {{^}}after_floats gp=0 fp=8 stack=1 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void after_floats(double a, double b, double c, double d, double e, double f, double g, double h, long i) {}
// CHECK-DAG: {{^}}ten_doubles gp=0 fp=10 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j) {}
// CHECK-DAG: {{^}}fourteen gp=0 fp=13 stack=6 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void fourteen(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j, double k, double l, double m, double n) {}
// CHECK-DAG: {{^}}split_pair gp=8 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void split_pair(int a, int b, int c, int d, int e, int f, int g, two_longs h, int i) {}
// CHECK-DAG: {{^}}wide gp=8 fp=0 stack=1 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide(int a, int b, int c, int d, int e, int f, int g, __int128 h) { return h; }
// CHECK-DAG: {{^}}aligned_value gp=5 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void aligned_value(int a, aligned b, int c) {}
// CHECK-DAG: {{^}}hidden gp=5 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
three_longs hidden(three_longs a, int b) { return a; }
// CHECK-DAG: {{^}}floats gp=3 fp=3 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
three_floats floats(three_floats a, int b) { return a; }
// The members of one argument are adjacent, and begin at a word of their own.
// CHECK-DAG: {{^}}packed gp=8 fp=13 stack=3 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void packed(eight_floats a, three_floats b, eight_floats c, float d) {}
// CHECK-DAG: {{^}}doubles gp=0 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
two_doubles doubles(two_doubles a) { return a; }
// CHECK-DAG: {{^}}mixed gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
float_int mixed(float_int a, float_int b) { return a; }
// A structure may begin in registers and end on the stack.
// CHECK-DAG: {{^}}large gp=8 fp=0 stack=3 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void large(int a, nine_longs b, int c) {}
// CHECK-DAG: {{^}}two_numbers gp=3 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
// IEEE-DAG: {{^}}two_numbers {{.*}} ret=other {{.*}} unknown-args{{$}}
long double two_numbers(long double a, int b) { return a; }
// Vectors have registers of a third class.
// CHECK-DAG: {{^}}vector {{.*}} ret=other {{.*}} unknown-args{{$}}
v4 vector(v4 a) { return a; }
// CHECK-DAG: {{^}}unused_rest gp=1 fp=1 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
void unused_rest(int a, double b, ...) {}
// CHECK-DAG: {{^}}used_rest gp=1 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
double used_rest(int a, double b, ...) {
  va_list rest;
  __builtin_va_start(rest, b);
  double result = __builtin_va_arg(rest, double);
  __builtin_va_end(rest);
  return result;
}
// CHECK-DAG: {{^}}rest_on_stack gp=8 fp=0 stack=1 ret=fp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
double rest_on_stack(int a, int b, int c, int d, int e, int f, int g, int h, int i, ...) {
  va_list rest;
  __builtin_va_start(rest, i);
  double result = __builtin_va_arg(rest, double);
  __builtin_va_end(rest);
  return result;
}
