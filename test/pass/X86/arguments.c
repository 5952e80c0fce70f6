// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of arguments and return values, optimized and not. Optimization removes
// unused arguments from the code, but callers still pass them.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=x86_64-linux-gnu -O0 -w -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -w -fno-omit-frame-pointer -fstack-protector-all -mno-red-zone -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -w -mavx512f -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefixes=CHECK,AVX

typedef __builtin_va_list va_list;
typedef struct { long a, b; } two_longs;
typedef struct { long a, b, c; } three_longs;
typedef struct { double a, b; } two_doubles;
typedef struct { float a, b; } two_floats;
typedef struct { long a; double b; } mixed;
typedef struct { char c[20]; } bytes;
typedef struct { long double a; } boxed_long_double;
typedef struct { _Alignas(32) long a[5]; } aligned;
typedef struct { char c[2040]; } large;
typedef struct { char c[2048]; } larger;
typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

// CHECK-DAG: {{^}}nothing gp=0 fp=0 stack=0 ret=void site=+0 hash=0x0 align={{[0-9]+$}}
void nothing(void) {}
// CHECK-DAG: {{^}}small gp=4 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
_Bool small(_Bool a, char b, short c, void *d) { return a; }
// CHECK-DAG: {{^}}eight gp=6 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void eight(int a, int b, int c, int d, int e, int f, int g, char h) {}
// CHECK-DAG: {{^}}ten_doubles gp=0 fp=8 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void ten_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j) {}
// CHECK-DAG: {{^}}both gp=1 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
double both(double a, float b, int c) { return a; }
// CHECK-DAG: {{^}}pair gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
two_longs pair(two_longs a) { return a; }
// Five registers are used, so a pair is on the stack; later arguments still use registers.
// CHECK-DAG: {{^}}split_pair gp=6 fp=0 stack=2 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void split_pair(int a, int b, int c, int d, int e, two_longs f, int g) {}
// CHECK-DAG: {{^}}wide gp=6 fp=0 stack=2 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide(int a, int b, int c, int d, int e, __int128 f, int g) { return f + g; }
// An __int128 on the stack starts at a multiple of its alignment.
// CHECK-DAG: {{^}}wide_aligned gp=6 fp=0 stack=4 ret=gp {{[^ ]+ [^ ]+ [^ ]+$}}
__int128 wide_aligned(int a, int b, int c, int d, int e, int f, int g, __int128 h) { return h; }
// CHECK-DAG: {{^}}hidden gp=2 fp=0 stack=3 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
three_longs hidden(three_longs a, int b) { return a; }
// CHECK-DAG: {{^}}bit_int gp=1 fp=0 stack=4 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
_BitInt(200) bit_int(_BitInt(200) a) { return a; }
// CHECK-DAG: {{^}}doubles gp=0 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
two_doubles doubles(two_doubles a) { return a; }
// Two floats share one register, as a vector.
// CHECK-DAG: {{^}}floats gp=0 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
two_floats floats(two_floats a) { return a; }
// CHECK-DAG: {{^}}both_kinds gp=1 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
mixed both_kinds(mixed a) { return a; }
// CHECK-DAG: {{^}}x87 gp=1 fp=0 stack=4 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
long double x87(long double a, int b, boxed_long_double c) { return a; }
// CHECK-DAG: {{^}}one_x87 gp=0 fp=0 stack=2 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
long double one_x87(long double a) { return a; }
// CHECK-DAG: {{^}}quad gp=0 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
__float128 quad(__float128 a) { return a; }
// CHECK-DAG: {{^}}half gp=0 fp=1 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
_Float16 half(_Float16 a) { return a; }
// CHECK-DAG: {{^}}complex gp=0 fp=2 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
_Complex double complex(_Complex double a) { return a; }
// CHECK-DAG: {{^}}vector gp=0 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
v4 vector(v4 a) { return a; }
// CHECK-DAG: {{^}}by_value gp=1 fp=0 stack=3 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void by_value(bytes a, int b) {}
// CHECK-DAG: {{^}}aligned_value gp=1 fp=0 stack=16 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void aligned_value(aligned a, int b, aligned c) {}
// CHECK-DAG: {{^}}two_values gp=0 fp=0 stack=12 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void two_values(bytes a, aligned b) {}
// CHECK-DAG: {{^}}most_words gp=0 fp=0 stack=255 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
void most_words(large a) {}
// CHECK-DAG: {{^}}too_many_words gp=0 fp=0 stack=255 ret=void {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
void too_many_words(larger a) {}
// CHECK-DAG: {{^}}unused_rest gp=6 fp=0 stack=1 ret=void {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
void unused_rest(int a, int b, int c, int d, int e, int f, int g, ...) {}
// CHECK-DAG: {{^}}used_rest gp=1 fp=1 stack=3 ret=fp {{[^ ]+ [^ ]+ [^ ]+}} variadic{{$}}
double used_rest(int a, three_longs b, double c, ...) {
  va_list rest;
  __builtin_va_start(rest, c);
  double result = __builtin_va_arg(rest, double);
  __builtin_va_end(rest);
  return result;
}
// CHECK-DAG: {{^}}leaves gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+}} noreturn{{$}}
__attribute__((noreturn)) void leaves(int a) { for (;;) ; }
// CHECK-DAG: {{^}}tail gp=1 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} musttail{{$}}
int callee(int a);
int tail(int a) { __attribute__((musttail)) return callee(a); }

#ifdef __AVX512F__
// AVX-DAG: {{^}}ymm gp=0 fp=2 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
v8 ymm(v8 a, v8 b) { return a; }
// AVX-DAG: {{^}}zmm gp=1 fp=1 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
v16 zmm(v16 a, int b) { return a; }
// In variadic functions, 512-bit vectors are on the stack.
// AVX-DAG: {{^}}variadic_zmm {{.*}} variadic unknown-args{{$}}
void variadic_zmm(v16 a, int b, ...) {}
#endif
