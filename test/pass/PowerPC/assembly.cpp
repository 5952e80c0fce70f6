// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly output, assembled by clang or by GNU as, has the same bytes as the object
// that clang writes directly.
// DEFINE: %{cpu} = pwr9
// DEFINE: %{cflags} = --target=powerpc64le-linux-gnu -mcpu=%{cpu} -O2 -fPIC -fsanitize=kcfi -fno-addrsig %s
// DEFINE: %{object} = %clangxx_pass %{cflags} -c -o %t.o && %clangxx_pass %{cflags} -fno-integrated-as -S -o %t.s \
// DEFINE:   && FileCheck %s --check-prefix=TEXT < %t.s \
// DEFINE:   && %shared %t.o -o %t.so && %records --prefix %t.so > %t.txt && FileCheck %s < %t.txt \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text %t.so %t.bin
// DEFINE: %{same} = %shared %t.again.o -o %t.again.so && %records --prefix %t.again.so | diff %t.txt - \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text %t.again.so %t.again.bin && cmp %t.bin %t.again.bin
// RUN: %{object}
// RUN: %clang --target=powerpc64le-linux-gnu -mcpu=%{cpu} -c %t.s -o %t.again.o && %{same}
// RUN: %if gnu-as-powerpc64le %{ powerpc64le-linux-gnu-as -mpower9 %t.s -o %t.again.o && %{same} %}
// REDEFINE: %{cpu} = pwr10
// RUN: %{object}
// RUN: %clang --target=powerpc64le-linux-gnu -mcpu=%{cpu} -c %t.s -o %t.again.o && %{same}
// RUN: %if gnu-as-powerpc64le %{ powerpc64le-linux-gnu-as -mpower10 %t.s -o %t.again.o && %{same} %}

template <class T> __attribute__((noinline)) T twice(T a) { return a * 2; }
int function(int a, double b) { return twice(a) + twice(b); }
__attribute__((section("own"))) int own(int a) { return twice(a) + 1; }

// TEXT: __patchbay_module_ctor:
// TEXT: .weak patchbay_module_register

// CHECK-DAG: _Z8functionid gp=1 fp=1
// CHECK-DAG: _Z5twiceIiET_S0_ gp=1 fp=0
// CHECK-DAG: _Z5twiceIdET_S0_ gp=0 fp=1
// CHECK-DAG: _Z3owni gp=1 fp=0
