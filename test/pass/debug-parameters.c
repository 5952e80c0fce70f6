// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The locations of parameters begin at the entry, as without the plugin, even if a loop
// jumps to the entry: debuggers and probes read parameters there.
// DEFINE: %{cc} = %clang_pass -O2 -g -c %s -o %t.o
// DEFINE: %{check} = llvm-dwarfdump --debug-info %t.o | FileCheck %s
// RUN: %{cc} --target=x86_64-linux-gnu && %{check}
// RUN: %{cc} --target=aarch64-linux-gnu && %{check}
// RUN: %{cc} --target=powerpc64le-linux-gnu && %{check}
// RUN: %{cc} --target=riscv64-linux-gnu && %{check}
// RUN: llvm-dwarfdump --verify %t.o

// RUN: %if gdb %{ %clang_pass -O2 -g %s -DMAIN -fno-inline -o %t %}
// RUN: %if gdb %{ gdb -nx -batch -ex 'break *function' -ex run -ex 'info args' %t 2>&1 | FileCheck %s --check-prefix=GDB %}
// GDB: a = 2
// GDB-NEXT: b = {{.*}} "hello"

// CHECK: DW_TAG_subprogram
// CHECK-NEXT: DW_AT_low_pc ([[FUNCTION:0x[0-9a-f]+]])
// CHECK: DW_AT_name ("function")
// CHECK: DW_TAG_formal_parameter
// CHECK-NEXT: DW_AT_location
// CHECK-NEXT: {{\[}}[[FUNCTION]], 0x
// CHECK: DW_AT_name ("a")
// CHECK: DW_TAG_formal_parameter
// CHECK-NEXT: DW_AT_location
// CHECK-NEXT: {{\[}}[[FUNCTION]], 0x
// CHECK: DW_AT_name ("b")
int callee(int a, char *b);
__attribute__((noinline)) int function(int a, char *b) { return callee(a + 1, b + 1) + 1; }

// CHECK: DW_AT_low_pc ([[LOOP:0x[0-9a-f]+]])
// CHECK: DW_AT_name ("loop")
// CHECK: DW_TAG_formal_parameter
// CHECK-NEXT: DW_AT_location
// CHECK-NEXT: {{\[}}[[LOOP]], 0x
// CHECK: DW_AT_name ("p")
void loop(volatile int *p) {
  while (!*p)
    ;
  callee(*p, 0);
}
#ifdef MAIN
char *volatile hello = "hello";
int callee(int a, char *b) { return b[a]; }
int main(void) { return function(2, hello); }
#endif
