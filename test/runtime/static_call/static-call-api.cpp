// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header works in C++: repeated declarations, a function type instead of a
// function, a namespace, a variadic target, NULL and RET0. A DSO has its own static
// call of the same name. A wrong type is an error. The linker initializes the keys,
// without code.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx -DDSO -O2 -fsanitize=kcfi -fPIC -shared -I %patchbay_include %s -o %t/libdso.so --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %clangxx -O2 -Wall -Wextra -Wpedantic -Werror -fsanitize=kcfi -I %patchbay_include -c %s -o %t/exe.o
// RUN: %clangxx %t/exe.o %t/libdso.so -o %t/exe --ld-path=%ld.lld -Wl,--static-calls,-rpath,%t %link
// RUN: %t/exe | FileCheck %s
// RUN: llvm-readelf -S %t/exe.o | FileCheck %s --check-prefix=SECTIONS
// RUN: not %clangxx -DWRONG -I %patchbay_include -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=WRONG
//
// CHECK:      executable 1, DSO 10
// CHECK-NEXT: executable 2, DSO 10
// CHECK-NEXT: executable 2, DSO 20
// CHECK-NEXT: variadic 7 of seven
// CHECK-NEXT: NULL: 1, then 5, NULL again: 1
// CHECK-NEXT: RET0: 0, then 5, again 0
// SECTIONS-NOT: .init_array
// WRONG: error: cannot initialize a variable of type {{.*}}'int (*)()'{{.*}} with an lvalue of type 'double (double)'
#include <patchbay/static_call.h>

#include <cstdio>

extern "C" int dsoCall();
extern "C" int dsoUpdate();

#ifdef DSO
static int ten() { return 10; }
static int twenty() { return 20; }
DEFINE_STATIC_CALL(number, ten);
int dsoCall() { return static_call(number)(); }
int dsoUpdate() { return static_call_update(number, twenty); }
#else

DECLARE_STATIC_CALL(number, int());

namespace name {
static int one() { return 1; }
static int two() { return 2; }
DEFINE_STATIC_CALL(number, one);
} // namespace name

DECLARE_STATIC_CALL(number, name::one);
DEFINE_STATIC_CALL(print, std::printf);

typedef void Store(int *);
static void storeFive(int *to) { *to = 5; }
DEFINE_STATIC_CALL_NULL(store, Store);

static int *five() {
  static int value = 5;
  return &value;
}
DEFINE_STATIC_CALL_RET0(pointer, five);

#ifdef WRONG
static double wrong(double x) { return x; }
int wrongUpdate() { return static_call_update(number, wrong); }
#endif

int main() {
  std::printf("executable %d, DSO %d\n", static_call(number)(), dsoCall());
  int error = static_call_update(number, name::two);
  std::printf("executable %d, DSO %d\n", static_call(number)(), dsoCall());
  error |= dsoUpdate();
  std::printf("executable %d, DSO %d\n", static_call(number)(), dsoCall());
  static_call(print)("variadic %d of %s\n", 7, "seven");

  int stored = 1;
  bool null = static_call_query(store) == nullptr;
  static_call_cond(store)(&stored);
  std::printf("NULL: %d", null ? stored : 0);
  error |= static_call_update(store, storeFive);
  static_call_cond(store)(&stored);
  std::printf(", then %d", stored);
  error |= static_call_update(store, nullptr);
  stored = 1;
  static_call(store)(&stored);
  std::printf(", NULL again: %d\n", stored);

  std::printf("RET0: %d", static_call(pointer)() != nullptr);
  error |= static_call_update(pointer, five);
  std::printf(", then %d", *static_call(pointer)());
  error |= static_call_update(pointer, STATIC_CALL_RET0(pointer));
  std::printf(", again %d\n", static_call(pointer)() != nullptr);
  return error;
}
#endif
