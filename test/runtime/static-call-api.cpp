// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header from C++: declarations that are repeated, a function type instead
// of a function, a namespace, a variadic target, a null one, and a DSO with a
// static call of its own and the same name. A wrong type is an error.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx -DDSO -O2 -fsanitize=kcfi -fPIC -shared -I %patchbay_include %s -o %t/libdso.so --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %clangxx -O2 -Wall -Wextra -Wpedantic -Werror -fsanitize=kcfi -I %patchbay_include -c %s -o %t/exe.o
// RUN: %clangxx %t/exe.o %t/libdso.so -o %t/exe --ld-path=%ld.lld -Wl,--static-calls,-rpath,%t %link
// RUN: %t/exe | FileCheck %s
// RUN: not %clangxx -DWRONG -I %patchbay_include -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=WRONG
//
// CHECK:      executable 1, DSO 10
// CHECK-NEXT: executable 2, DSO 10
// CHECK-NEXT: executable 2, DSO 20
// CHECK-NEXT: variadic 7 of seven
// CHECK-NEXT: null is null: 1, then 5
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

typedef int Function();
static Function *const nothing = nullptr;
DECLARE_STATIC_CALL(nothing, Function);
struct static_call_key __SCK__nothing = {nullptr, (void *)&__SCT__nothing};
static int five() { return 5; }

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
  bool null = static_call_query(nothing) == nothing;
  error |= static_call_update(nothing, five);
  std::printf("null is null: %d, then %d\n", null, static_call(nothing)());
  return error;
}
#endif
