// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The site has the function's line, and breakpoints on the function are after the site.
// RUN: %clang_pass --target=x86_64-linux-gnu -O0 -g -c %s -o %t.o
// RUN: llvm-objdump -dl --no-show-raw-insn --no-print-imm-hex %t.o | FileCheck %s
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -g -c %s -o %t.o
// RUN: llvm-objdump -dl --no-show-raw-insn --no-print-imm-hex %t.o | FileCheck %s
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -gdwarf-4 -fno-dwarf-directory-asm -fno-addrsig -fno-integrated-as -S %s -o %t.s
// RUN: %if gnu-binutils %{ as %t.s -o %t.gnu.o %}
// RUN: %if gnu-binutils %{ llvm-dwarfdump --debug-line %t.gnu.o | FileCheck %s --check-prefix=LINES %}

int callee(int a);
#line 100
int function(int a) {
#line 110
  return callee(a) + 1;
}

// CHECK:      <function>:
// CHECK-NEXT: function():
// CHECK-NEXT: debug-info.c:100
// CHECK-NEXT: testl $0, %eax
// CHECK-NEXT: jb

// LINES:    0x0000000000000010 100 0 {{.*}} is_stmt
// LINES:    110 {{.*}} is_stmt prologue_end
