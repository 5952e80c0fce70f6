# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## -r --static-calls-relocatable reports the same errors as a final link. If the linker
## script or --gc-sections drops a section, the linker makes no thunks and no entries for it.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o x86.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 --defsym ARM=1 a.s -o arm.o
# DEFINE: %{r} = %ld.lld -r --static-calls-relocatable

## With --gc-sections only calls in live sections count. Every relocation in the output
## has a symbol.
# RUN: %{r} --gc-sections -u a x86.o -o gc.o
# RUN: llvm-readelf -rsW gc.o | FileCheck %s --check-prefix=GC
# RUN: %{r} --gc-sections -u a arm.o -o gc.o
# RUN: llvm-readelf -rsW gc.o | FileCheck %s --check-prefix=GC
# GC-LABEL: '.rela.static_call_sites' {{.*}} contains 2 entries
# GC:       .text.a + 0
# GC-NEXT:  __SCK__a + {{[01]}}
# GC-LABEL: '.symtab'
# GC-NOT:   __SCT__b
# GC:       FUNC GLOBAL DEFAULT {{.*}} __SCT__a
# GC-NOT:   __SCT__b

## The script discards a section that contains a call.
# RUN: %{r} -T caller.lds x86.o -o caller.o
# RUN: llvm-readelf -rsW caller.o | FileCheck %s --check-prefix=CALLER
# RUN: %{r} -T caller.lds arm.o -o caller.o
# RUN: llvm-readelf -rsW caller.o | FileCheck %s --check-prefix=CALLER
# CALLER-LABEL: '.rela.static_call_sites' {{.*}} contains 2 entries
# CALLER:       .text.a + 0
# CALLER-NEXT:  __SCK__a + {{[01]}}
# CALLER-LABEL: '.symtab'
# CALLER-DAG:   __SCT__a
# CALLER-DAG:   __SCT__b

## Discarding the table is only a warning, because calls still work.
# RUN: %{r} -T table.lds x86.o -o table.o 2>&1 | FileCheck %s --check-prefix=TABLE
# RUN: llvm-readelf -SW table.o | FileCheck %s --check-prefix=NO-TABLE
# RUN: %{r} -T table.lds arm.o -o table.o 2>&1 | FileCheck %s --check-prefix=TABLE
# TABLE:        warning: section .static_call_sites is discarded by the linker script, and without it the run time cannot update static calls
# NO-TABLE-NOT: static_call_sites

## Discarding the thunks, their relocations, the key or the target is an error.
# RUN: not %{r} -T thunks.lds x86.o -o err.o 2>&1 | FileCheck %s --check-prefix=TRAMPS
# RUN: not %{r} -T thunks.lds arm.o -o err.o 2>&1 | FileCheck %s --check-prefix=TRAMPS
# TRAMPS:      error: {{.*}}.o:(.text.a+0x{{[01]}}): relocation refers to a symbol in a discarded section: __SCT__a
# TRAMPS:      error: {{.*}}.o:(.text.b+0x{{[01]}}): relocation refers to a symbol in a discarded section: __SCT__b
# RUN: not %{r} -T relocations.lds x86.o -o err.o 2>&1 | FileCheck %s --check-prefix=RELOCATIONS
# RELOCATIONS: error: discarding .rela.static_call.text section is not allowed
# RUN: not %{r} -T key.lds x86.o -o err.o 2>&1 | FileCheck %s --check-prefix=KEY
# RUN: not %{r} -T key.lds arm.o -o err.o 2>&1 | FileCheck %s --check-prefix=KEY
# KEY:         error: {{.*}}.o: undefined static call key '__SCK__a'
# RUN: not %{r} -T target.lds x86.o -o err.o 2>&1 | FileCheck %s --check-prefix=TARGET
# RUN: not %{r} -T target.lds arm.o -o err.o 2>&1 | FileCheck %s --check-prefix=TARGET
# TARGET:      error: {{.*}}.o:(.data.a+0x0): static call key '__SCK__a' refers to a function in a discarded section
# RUN: not ls err.o

## References other than calls. A kernel takes a thunk's address, a program does not.
# RUN: llvm-mc -filetype=obj -triple=x86_64 bad.s -o bad.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 --defsym ARM=1 bad.s -o bad-arm.o
# RUN: not %{r} x86.o bad.o -o err.o 2>&1 | FileCheck %s --check-prefix=BAD --implicit-check-not=error:
# RUN: not %ld.lld --static-calls x86.o bad.o -o err.o 2>&1 | FileCheck %s --check-prefixes=BAD,ADDRESS
# BAD-DAG: error: bad.o:(.text+0x1): branch into the middle of static call 'a'
# ADDRESS-DAG: error: bad.o:(.data+0x0): relocation R_X86_64_64 refers to static call 'a', which can only be called and jumped to
# RUN: not %{r} arm.o bad-arm.o -o err.o 2>&1 | FileCheck %s --check-prefix=BAD-ARM --implicit-check-not=error:
# BAD-ARM-DAG: error: bad-arm.o:(.text+0x0): branch into the middle of static call 'a'
# BAD-ARM-DAG: error: bad-arm.o:(.text+0x4): relocation R_AARCH64_CONDBR19 refers to static call 'a', which can only be called and jumped to
# RUN: sed 's/target, __SCT__.name, 0/target/' a.s | llvm-mc -filetype=obj -triple=x86_64 -o short.o
# RUN: %{r} short.o -o short-module.o
# RUN: sed 's/.quad target, __SCT__.name, 0/.long 0/' a.s | llvm-mc -filetype=obj -triple=x86_64 -o shorter.o
# RUN: not %{r} shorter.o -o err.o 2>&1 | FileCheck %s --check-prefix=SHORT
# SHORT: error: shorter.o:(.data.a+0x0): static call key '__SCK__a' has 4 bytes, 8 are needed
## -fno-plt: only the final link can relax this to a branch.
# RUN: llvm-mc -filetype=obj -triple=x86_64 no-plt.s -o no-plt.o
# RUN: not %{r} x86.o no-plt.o -o err.o 2>&1 | FileCheck %s --check-prefix=NO-PLT
# RUN: %ld.lld --static-calls x86.o no-plt.o -o no-plt
# NO-PLT: error: no-plt.o:(.text+0x2): relocation R_X86_64_GOTPCRELX refers to static call 'a', which can only be called and jumped to
# RUN: not ls err.o

#--- caller.lds
SECTIONS { /DISCARD/ : { *(.text.b) } }
#--- table.lds
SECTIONS { /DISCARD/ : { *(.static_call_sites) } }
#--- thunks.lds
SECTIONS { /DISCARD/ : { *(.static_call.text) } }
#--- relocations.lds
SECTIONS { /DISCARD/ : { *(.rela.static_call.text) } }
#--- key.lds
SECTIONS { /DISCARD/ : { *(.data.a) } }
#--- target.lds
SECTIONS { /DISCARD/ : { *(.text.target) } }
#--- a.s
.macro CALL to
.ifdef ARM
  bl \to
.else
  call \to
.endif
.endm
.globl _start
_start:
.irp name, a, b
.section .text.\name,"ax"
.globl \name
\name:
  CALL __SCT__\name
.section .data.\name,"aw"
.globl __SCK__\name
.p2align 3
__SCK__\name:
  .quad target, __SCT__\name, 0
.endr
.section .text.target,"ax"
target:
  ret
#--- bad.s
.ifdef ARM
  bl __SCT__a + 4
  b.eq __SCT__a
.else
  call __SCT__a + 2
.endif
.data
  .quad __SCT__a
#--- no-plt.s
  call *__SCT__a@GOTPCREL(%rip)
