// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly output, assembled by clang, has the same bytes as the object that clang
// writes directly. GNU as encodes the function's own instructions differently, but not
// slot and site.
// DEFINE: %{arch} = rv64gc
// DEFINE: %{extra} =
// DEFINE: %{cflags} = --target=riscv64-linux-gnu -march=%{arch} %{extra} -O2 -fPIC -fsanitize=kcfi -fno-addrsig %s
// DEFINE: %{object} = %clangxx_pass %{cflags} -c -o %t.o && %clangxx_pass %{cflags} -fno-integrated-as -S -o %t.s \
// DEFINE:   && FileCheck %s --check-prefix=TEXT < %t.s \
// DEFINE:   && %shared %t.o -o %t.so && %records --prefix %t.so > %t.txt && FileCheck %s < %t.txt \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text %t.so %t.bin
// DEFINE: %{same} = %shared %t.again.o -o %t.again.so && %records --prefix %t.again.so | diff %t.txt - \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text %t.again.so %t.again.bin && cmp %t.bin %t.again.bin
// RUN: %{object}
// RUN: %clang --target=riscv64-linux-gnu -march=%{arch} -c %t.s -o %t.again.o && %{same}
// GNU as 2.40 does not know all extensions that clang names.
// RUN: %if gnu-as-riscv64 %{ sed '/\.attribute/d' %t.s > %t.gnu.s && riscv64-linux-gnu-as -march=rv64gc %t.gnu.s -o %t.gnu.o && %shared %t.gnu.o -o %t.gnu.so %}
// RUN: %if gnu-as-riscv64 %{ sed 's/align=[0-9]*//' %t.txt > %t.sites.txt %}
// RUN: %if gnu-as-riscv64 %{ %records --prefix %t.gnu.so | sed 's/align=[0-9]*//' | diff %t.sites.txt - %}
// REDEFINE: %{arch} = rv64g
// RUN: %{object}
// RUN: %clang --target=riscv64-linux-gnu -march=%{arch} -c %t.s -o %t.again.o && %{same}
// REDEFINE: %{arch} = rv64gc_zicfilp1p0
// REDEFINE: %{extra} = -menable-experimental-extensions -mcf-branch-label-scheme=unlabeled -fcf-protection=branch
// RUN: %{object}
// RUN: %clang --target=riscv64-linux-gnu -march=%{arch} -menable-experimental-extensions -c %t.s -o %t.again.o && %{same}

template <class T> __attribute__((noinline)) T twice(T a) { return a * 2; }
int function(int a, double b) { return twice(a) + twice(b); }
__attribute__((section("own"))) int own(int a) { return twice(a); }

// TEXT:      .option push
// TEXT-NEXT: .option norvc
// TEXT-NEXT: nop
// TEXT-NEXT: nop
// TEXT-NEXT: .option pop
// TEXT: __patchbay_module_ctor:
// TEXT: auipc {{.*}}, %got_pcrel_hi(patchbay_module_register)

// CHECK-DAG: _Z8functionid gp=1 fp=1
// CHECK-DAG: _Z5twiceIiET_S0_ gp=1 fp=0
// CHECK-DAG: _Z5twiceIdET_S0_ gp=0 fp=1
// CHECK-DAG: _Z3owni gp=1 fp=0
