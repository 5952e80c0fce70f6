// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's verifier accepts the machine code at every level of optimization, and
// compiling twice gives the same output.
// DEFINE: %{target} =
// DEFINE: %{O} =
// DEFINE: %{compile} = %clangxx_pass --target=%{target}-linux-gnu %{O} -fPIC -fsanitize=kcfi -c %s
// DEFINE: %{check} = %{compile} -o %t.o && %{compile} -o %t.again.o && cmp %t.o %t.again.o \
// DEFINE:   && %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// REDEFINE: %{target} = powerpc64le
// REDEFINE: %{O} = -O0
// RUN: %{check}
// REDEFINE: %{O} = -O1
// RUN: %{check}
// REDEFINE: %{O} = -O2
// RUN: %{check}
// REDEFINE: %{O} = -O3
// RUN: %{check}
// REDEFINE: %{O} = -Os
// RUN: %{check}
// REDEFINE: %{O} = -Oz
// RUN: %{check}
// REDEFINE: %{target} = riscv64
// REDEFINE: %{O} = -O0
// RUN: %{check}
// REDEFINE: %{O} = -O1
// RUN: %{check}
// REDEFINE: %{O} = -O2
// RUN: %{check}
// REDEFINE: %{O} = -O3
// RUN: %{check}
// REDEFINE: %{O} = -Os
// RUN: %{check}
// REDEFINE: %{O} = -Oz
// RUN: %{check}

// Other features that change a function's start.
// REDEFINE: %{O} = -Oz -msave-restore -mllvm -enable-machine-outliner=always
// RUN: %{check}
// REDEFINE: %{O} = -Oz -march=rv64imac_zcmp -mabi=lp64
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fstack-protector-all -fstack-clash-protection
// RUN: %{check}
// REDEFINE: %{O} = -O2 -pg
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fxray-instrument -fxray-instruction-threshold=1
// RUN: %{check}
// REDEFINE: %{O} = -O2 -march=rv64gc_zicfilp1p0_zicfiss1p0_zimop_zcmop -menable-experimental-extensions -mcf-branch-label-scheme=unlabeled -fcf-protection=full
// RUN: %{check} --check-prefix=LPAD
// REDEFINE: %{target} = powerpc64le
// REDEFINE: %{O} = -O2 -fstack-protector-all -fstack-clash-protection
// RUN: %{check}
// REDEFINE: %{O} = -O2 -pg
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fxray-instrument -fxray-instruction-threshold=1
// RUN: %{check}
// REDEFINE: %{O} = -O2 -mcpu=pwr10 -mrop-protect
// RUN: %{check}

// REDEFINE: %{target} = x86_64
// REDEFINE: %{O} = -O0
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fcf-protection=full
// RUN: %{check} --check-prefix=LPAD
// REDEFINE: %{O} = -O2 -fstack-protector-all -fstack-clash-protection -mretpoline
// RUN: %{check}
// REDEFINE: %{O} = -O2 -pg -mfentry
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fxray-instrument -fxray-instruction-threshold=1
// RUN: %{check}
// REDEFINE: %{O} = -Oz -mllvm -enable-machine-outliner=always -fbasic-block-sections=all
// RUN: %{check}
// REDEFINE: %{O} = -O2 -Xclang -mrelax-all
// RUN: %{check}
// REDEFINE: %{target} = aarch64
// REDEFINE: %{O} = -O0
// RUN: %{check}
// REDEFINE: %{O} = -O2 -mbranch-protection=standard
// RUN: %{check} --check-prefix=LPAD
// REDEFINE: %{O} = -O2 -fstack-protector-all -fstack-clash-protection -mharden-sls=all
// RUN: %{check}
// REDEFINE: %{O} = -O2 -pg
// RUN: %{check}
// REDEFINE: %{O} = -O2 -fxray-instrument -fxray-instruction-threshold=1
// RUN: %{check}
// REDEFINE: %{O} = -Oz -mllvm -enable-machine-outliner=always -mbranch-protection=standard
// RUN: %{check} --check-prefix=LPAD

// CHECK-DAG: _Z6throwsi gp=1
// CHECK-DAG: _Z5loopsPVi gp=1
// CHECK-DAG: _Z3bigi gp=1
// LPAD-DAG: _Z6throwsi gp=1 {{.*}} site=+4
// LPAD-DAG: _Z5loopsPVi gp=1 {{.*}} site=+4
// LPAD-DAG: _Z3bigi gp=1 {{.*}} site=+4
void use(char *);
int throws(int a) {
  try {
    if (a)
      throw a;
  } catch (int b) {
    return b;
  }
  return 0;
}
// The first block of the source is a loop.
void loops(volatile int *a) {
  for (;;)
    *a = 1;
}
void big(int a) {
  char buffer[70000];
  use(buffer);
}
