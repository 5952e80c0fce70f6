// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suffixes that this clang appends to names. The list has names without suffixes
// (patchbay/names.h), and matches each of these functions.
// RUN: printf '[never]\nfun:clones\nfun:region\nfun:special\nfun:split\n[always]\nfun:user\n' > %t.list
// DEFINE: %{target} =
// DEFINE: %{cc} = %clang_pass %{target} -O3 -fopenmp -funique-internal-linkage-names -mllvm -hot-cold-split -mllvm -force-specialization \
// DEFINE:   -mllvm -patchbay-attr-list=%t.list -Rpass=patchbay -Rpass-missed=patchbay -c %s -o %t.o 2>&1
// DEFINE: %{check} = FileCheck %s --implicit-check-not=': slot and site' --check-prefixes
// REDEFINE: %{target} = --target=x86_64-linux-gnu
// RUN: %{cc} | %{check} CHECK,X86
// REDEFINE: %{target} = --target=aarch64-linux-gnu -rtlib=compiler-rt
// RUN: %{cc} | %{check} CHECK,AARCH64
// REDEFINE: %{target} = --target=riscv64-linux-gnu
// RUN: %{cc} | %{check} CHECK,RISCV

// X86-DAG: remark: clones.avx2.{{[0-9]+}}: no slot: it is listed under [never]
// X86-DAG: remark: clones.sse4.2.{{[0-9]+}}: no slot: it is listed under [never]
// X86-DAG: remark: clones.arch_haswell.{{[0-9]+}}: no slot: it is listed under [never]
// X86-DAG: remark: clones.default.{{[0-9]+}}: no slot: it is listed under [never]
// AARCH64-DAG: remark: clones._Msve2: no slot: it is listed under [never]
// AARCH64-DAG: remark: clones.default: no slot: it is listed under [never]
// RISCV-DAG: remark: clones._zba_zbb: no slot: it is listed under [never]
// RISCV-DAG: remark: clones._v: no slot: it is listed under [never]
// RISCV-DAG: remark: clones.default: no slot: it is listed under [never]
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "sse4.2", "arch=haswell", "default")))
#elif defined(__aarch64__)
__attribute__((target_clones("sve2", "default")))
#else
__attribute__((target_clones("arch=+zbb,+zba", "arch=+v", "default")))
#endif
int clones(int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}

// CHECK-DAG: remark: region.omp_outlined: no slot: it is listed under [never]
void region(int *a) {
#pragma omp parallel for
  for (int i = 0; i < 1000; i++)
    a[i] += i;
}

// CHECK-DAG: remark: _ZL7specialPFiiEi.__uniq.{{[0-9]+}}.specialized.1: no slot: it is listed under [never]
// CHECK-DAG: remark: _ZL7specialPFiiEi.__uniq.{{[0-9]+}}.specialized.2: no slot: it is listed under [never]
int callee(int a);
__attribute__((noinline)) static int special(int (*f)(int), int a) {
  int sum = 0;
  for (int i = 0; i < a; i++)
    sum += f(i) * f(i + 3);
  return sum;
}
static int one(int a) { return callee(a) + 1; }
static int two(int a) { return callee(a) * 2; }
// CHECK-DAG: remark: user: slot and site, prefix of {{[0-9]+}} bytes: it is listed under [always]
int user(int a) { return special(one, a) + special(two, a); }

// CHECK-DAG: remark: split.cold.1: no slot: it is listed under [never]
void stop(void) __attribute__((noreturn, cold));
int split(int a) {
  if (__builtin_expect(a == 7, 0)) {
    callee(1);
    callee(2);
    callee(3);
    callee(4);
    callee(5);
    callee(6);
    stop();
  }
  return callee(a) + 1;
}
