# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --icf=all folds equal targets, but not equal thunks, because updates change each
## thunk separately.

# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o %t.o
# RUN: %ld.lld --static-calls --icf=all --print-icf-sections %t.o -o %t | FileCheck %s --check-prefix=ICF
# RUN: llvm-objdump -d --section=.static_call.text --no-show-raw-insn %t | FileCheck %s

# ICF:      selected section {{.*}}.o:(.text.a)
# ICF-NEXT: removing identical section {{.*}}.o:(.text.b)
# ICF-NOT:  section

# CHECK-LABEL: <__SCT__a>:
# CHECK-NEXT:    jmp 0x[[#%x,ADDR:]]
# CHECK-LABEL: <__SCT__b>:
# CHECK-NEXT:    jmp 0x[[#ADDR]]

.globl _start
_start:
  call __SCT__a
  call __SCT__b
.irp name, a, b
.section .text.\name,"ax"
target_\name:
  mov $1, %eax
  ret
.section .data.\name,"aw"
.globl __SCK__\name
.p2align 3
__SCK__\name:
  .quad target_\name
  .quad __SCT__\name, 0
.endr
