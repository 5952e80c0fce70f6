// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With kcfi-arity the opcode before the hash contains the function's arity. The
// pass writes the same opcode as LLVM. Unused arguments do not count, so only
// -O0 shows the arity of the source.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fsanitize-kcfi-arity -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fsanitize-kcfi-arity -c %s -o %t.o
// RUN: %clang --target=x86_64-linux-gnu -O0 -fsanitize=kcfi -fsanitize-kcfi-arity -c %s -o %t.stock0.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O0 -fsanitize=kcfi -fsanitize-kcfi-arity -c %s -o %t.0.o
// RUN: %python %S/Inputs/hash_words.py %t.stock.o > %t.stock.txt
// RUN: %python %S/Inputs/hash_words.py %t.o | diff %t.stock.txt -
// RUN: %python %S/Inputs/hash_words.py %t.stock0.o > %t.stock0.txt
// RUN: FileCheck %s < %t.stock0.txt
// RUN: %python %S/Inputs/hash_words.py %t.0.o | diff %t.stock0.txt -

#include <stdarg.h>

struct big { long v[5]; };

// CHECK: none b8
void none(void) {}
// CHECK: one b9
void one(int a) {}
// CHECK: two ba
void two(char a, void *b) {}
// CHECK: three bb
void three(long a, long b, double c, long d) {}
// CHECK: four bc
void four(int a, int b, int c, int d) {}
// CHECK: five bd
void five(int a, int b, int c, int d, int e) {}
// CHECK: six be
void six(int a, int b, int c, int d, int e, int f) {}
// CHECK: seven bf
void seven(int a, int b, int c, int d, int e, int f, char g) {}
// CHECK: by_value bf
void by_value(struct big b) {}
// CHECK: wide ba
void wide(__int128 a) {}
// CHECK: sret b9
struct big sret(void) { struct big b = {{1}}; return b; }
// CHECK: eight_doubles b9
void eight_doubles(double a, double b, double c, double d, double e, double f, double g, double h, int i) {}
// CHECK: nine_doubles bf
void nine_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i) {}
// CHECK: variadic b
int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  int first = va_arg(list, int);
  va_end(list);
  return first;
}
// CHECK: variadic_unused b
int variadic_unused(int n, ...) { return n; }
// CHECK: variadic_on_stack bf
int variadic_on_stack(int a, int b, int c, int d, int e, int f, int g, ...) {
  va_list list;
  va_start(list, g);
  int first = va_arg(list, int);
  va_end(list);
  return first;
}
