// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small functions can be excluded. Only instructions count, so debug and unwind
// information do not matter.
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -O1 -fomit-frame-pointer -c %s -o %t.o -Rpass=patchbay -Rpass-missed=patchbay
// DEFINE: %{threshold} = %{cc} -mllvm -patchbay-instruction-threshold
// DEFINE: %{check} = FileCheck %s --implicit-check-not=remark: --check-prefixes
// RUN: %{cc} 2>&1 | %{check}=THREE,FOUR,LOOP
// RUN: %{threshold}=3 2>&1 | %{check}=THREE,FOUR,LOOP
// RUN: %{threshold}=4 2>&1 | %{check}=NO-THREE,FOUR,LOOP
// RUN: %{threshold}=4 -g 2>&1 | %{check}=NO-THREE,FOUR,LOOP
// RUN: %{threshold}=5 2>&1 | %{check}=NO-THREE,NO-FOUR,LOOP
// RUN: %{threshold}=5 -fno-asynchronous-unwind-tables 2>&1 | %{check}=NO-THREE,NO-FOUR,LOOP

// The last of two thresholds counts.
// RUN: %{threshold}=5 -mllvm -patchbay-instruction-threshold=3 2>&1 | %{check}=THREE,FOUR,LOOP

// A function with a loop may run for long, so its size does not count.
// RUN: %{threshold}=100 2>&1 | %{check}=NO-THREE,NO-FOUR,LOOP
// RUN: %{threshold}=100 -mllvm -patchbay-ignore-loops 2>&1 | FileCheck %s --check-prefix=NO-LOOP

// A small function that is requested by name has a slot.
// RUN: echo '[always]' > %t.list && echo 'fun:three' >> %t.list
// RUN: %{threshold}=100 -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=LISTED
// LISTED: remark: three: slot and site, prefix of 16 bytes: it is listed under [always]

// NO-THREE: [[#@LINE+2]]:1: remark: three: no slot: it has fewer instructions than -patchbay-instruction-threshold, and no loop [-Rpass-missed=patchbay]
// THREE:    [[#@LINE+1]]:1: remark: three: slot and site, prefix of 16 bytes [-Rpass=patchbay]
void three(int a) {
  int local = 1;
  __asm__ volatile("nop");
  int other = a + local;
  __asm__ volatile("nop");
  other += local;
}

// NO-FOUR: remark: four: no slot: it has fewer instructions than -patchbay-instruction-threshold, and no loop
// FOUR:    remark: four: slot and site
void four(void) { __asm__ volatile("nop" ::: "rbx"); }

// LOOP:    remark: loop: slot and site, prefix of 16 bytes [-Rpass=patchbay]
// NO-LOOP: remark: loop: no slot: it has fewer instructions than -patchbay-instruction-threshold [-Rpass-missed=patchbay]
void loop(int n) {
  while (n--)
    __asm__ volatile("nop");
}
