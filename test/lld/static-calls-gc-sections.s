# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --gc-sections drops the thunk, key and target of a dropped caller. A live caller
## keeps all three, although only the thunk refers to the key.

# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o %t.o
# RUN: %ld.lld --static-calls --gc-sections --print-gc-sections %t.o -o %t | FileCheck %s --check-prefix=GC
# RUN: llvm-nm %t | FileCheck %s --implicit-check-not=dead
# RUN: llvm-objdump -d --section=.static_call.text %t | FileCheck %s --check-prefix=DIS

# RUN: %ld.lld --static-calls --gc-sections -u caller %t.o -o %t.keep
# RUN: llvm-nm %t.keep | FileCheck %s --check-prefix=KEEP

# GC-DAG: removing unused section <internal>:(.static_call.text)
# GC-DAG: removing unused section {{.*}}.o:(.data.dead)
# GC-DAG: removing unused section {{.*}}.o:(.text.dead)

# CHECK:      __SCK__live
# CHECK-NEXT: __SCT__live
# CHECK:      live_target

# DIS:       <__SCT__live>:
# DIS-NEXT:    {{.*}}jmp {{.*}} <live_target>
# DIS-NOT:   <__SCT__{{.*}}>:

# KEEP:      __SCK__dead
# KEEP:      __SCT__dead
# KEEP:      dead_target

.section .text._start,"ax"
.globl _start
_start:
  call __SCT__live
.section .text.caller,"ax"
.globl caller
caller:
  jmp __SCT__dead

.irp name, live, dead
.section .text.\name,"ax"
\name\()_target:
  ret
.section .data.\name,"aw"
.globl __SCK__\name
.p2align 3
__SCK__\name:
  .quad \name\()_target
  .quad __SCT__\name, 0
.endr
