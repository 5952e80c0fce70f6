# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Calls and jumps of -fno-plt become direct branches, and the table lists these
## branches.

# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o a.o
# RUN: echo 'SECTIONS { .text 0x10000 : { *(.text) } .static_call.text 0x11000 : { *(.static_call.text) } \
# RUN:   .static_call_sites 0x12000 : { *(.static_call_sites) } .data 0x13000 : { *(.data) } }' > a.lds
# RUN: %ld.lld --static-calls -T a.lds a.o -o a
# RUN: llvm-objdump -d a | FileCheck %s
# RUN: llvm-objdump -s --section=.static_call_sites a | FileCheck %s --check-prefix=SITES

# CHECK-LABEL: <_start>:
# CHECK-NEXT:    10000: 67 e8 {{.*}} addr32 callq 0x11000 <__SCT__x>
# CHECK-NEXT:    10006: e9 {{.*}} jmp 0x11000 <__SCT__x>
# CHECK-NEXT:    1000b: 90
## 0x10001 and the key 0x13000; 0x10006, the key and the flag of a jump.
# SITES:         12000 01e0ffff fc0f0000 fedfffff f50f0000

.globl _start, __SCK__x
_start:
  call *__SCT__x@GOTPCREL(%rip)
  jmp *__SCT__x@GOTPCREL(%rip)
f:
  ret
.data
.p2align 3
__SCK__x:
  .quad f, __SCT__x, 0
