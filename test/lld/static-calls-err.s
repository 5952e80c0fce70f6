# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Faults of keys, targets and thunks are errors with a location. No output file is
## written.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 call.s -o call.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 start.s -o start.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 key.s -o key.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 key2.s -o key2.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 dso.s -o dso.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 undef-target.s -o undef-target.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 object.s -o object.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 data.s -o data.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 small.s -o small.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 end.s -o end.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 odd.s -o odd.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 odd-section.s -o odd-section.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 rodata.s -o rodata.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 abs.s -o abs.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 relro.s -o relro.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 thunk.s -o thunk.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 pcrel.s -o pcrel.o

# RUN: not %ld.lld --static-calls call.o -o undef.out 2>&1 | FileCheck %s --check-prefix=UNDEF
# UNDEF: error: call.o: undefined static call key '__SCK__x'; define it with DEFINE_STATIC_CALL(x, function) in one file of this link, or with DEFINE_EXPORTED_STATIC_CALL in a shared object of it

# RUN: %ld.lld -shared dso.o -o dso.so
## A key of a DSO may be imported, but not copied.
# RUN: %ld.lld --static-calls call.o dso.so -o /dev/null
# RUN: llvm-mc -filetype=obj -triple=x86_64 copy.s -o copy.o
# RUN: not %ld.lld --static-calls call.o copy.o dso.so -o copy.out 2>&1 | FileCheck %s --check-prefix=COPY
# COPY: error: static call key '__SCK__x' cannot be copied from its shared object; compile the files that refer to it with -fPIE or -fPIC

## A DSO's undefined key may be defined by the program that loads it, unless -z defs.
# RUN: %ld.lld --static-calls -shared call.o -o /dev/null
# RUN: not %ld.lld --static-calls -shared -z defs call.o -o undef.out 2>&1 | FileCheck %s --check-prefix=UNDEF

# RUN: not %ld.lld --static-calls call.o undef-target.o -o undef-target.out 2>&1 | FileCheck %s --check-prefix=TARGET
# TARGET: error: undefined symbol: no_such_function
# TARGET-NEXT: >>> referenced by undef-target.o:(.data+0x0)

# RUN: not %ld.lld --static-calls call.o object.o -o object.out 2>&1 | FileCheck %s --check-prefix=OBJECT
# OBJECT: error: object.o:(.data+0x0): static call key '__SCK__x' refers to 'variable', which is not a function
# RUN: not %ld.lld --static-calls call.o data.o -o data.out 2>&1 | FileCheck %s --check-prefix=DATA
# DATA: error: data.o:(.data+0x0): static call key '__SCK__x' refers to data.o:(.rodata+0x8), which is not a function

# RUN: not %ld.lld --static-calls call.o key.o key2.o -o dup.out 2>&1 | FileCheck %s --check-prefix=DUP
# DUP: error: duplicate symbol: __SCK__x
# DUP-NEXT: >>> defined at {{.*}}key.o:(.data+0x0)
# DUP-NEXT: >>> defined at {{.*}}key2.o:(.data+0x0)

# RUN: not %ld.lld --static-calls call.o small.o -o small.out 2>&1 | FileCheck %s --check-prefix=SMALL
# SMALL: error: small.o:(__SCK__x): static call key '__SCK__x' has 8 bytes, 24 are needed
# RUN: not %ld.lld --static-calls call.o end.o -o end.out 2>&1 | FileCheck %s --check-prefix=END
# END: error: end.o:(.data+0x8): static call key '__SCK__x' has 12 bytes, 24 are needed

# RUN: not %ld.lld --static-calls call.o odd.o -o odd.out 2>&1 | FileCheck %s --check-prefix=ODD
# ODD: error: odd.o:(.data+0x4): static call key '__SCK__x' is not aligned to 8 bytes
# RUN: not %ld.lld --static-calls call.o odd-section.o -o odd-section.out 2>&1 | FileCheck %s --check-prefix=ODD-SECTION
# ODD-SECTION: error: odd-section.o:(.data+0x0): static call key '__SCK__x' is not aligned to 8 bytes

# RUN: not %ld.lld --static-calls call.o rodata.o -o rodata.out 2>&1 | FileCheck %s --check-prefix=RODATA
# RODATA: error: rodata.o:(.rodata+0x0): static call key '__SCK__x' is not in a writable section
# RUN: not %ld.lld --static-calls call.o abs.o -o abs.out 2>&1 | FileCheck %s --check-prefix=ABS
# ABS: error: abs.o: static call key '__SCK__x' is not in a writable section
# RUN: not %ld.lld --static-calls call.o relro.o -o relro.out 2>&1 | FileCheck %s --check-prefix=RELRO
# RELRO: error: relro.o:(.data.rel.ro+0x0): static call key '__SCK__x' becomes read-only after relocation; remove its section attribute or const
# RUN: %ld.lld --static-calls -z norelro call.o relro.o -o /dev/null

# RUN: not %ld.lld --static-calls -shared call.o key.o -o preempt.out 2>&1 | FileCheck %s --check-prefix=PREEMPT
# PREEMPT: error: key.o:(.data+0x0): static call key '__SCK__x' can be preempted; give it hidden or protected visibility
# RUN: %ld.lld --static-calls -shared -Bsymbolic call.o key.o -o /dev/null

# RUN: not %ld.lld --static-calls call.o key.o thunk.o -o thunk.out 2>&1 | FileCheck %s --check-prefix=TRAMP
# TRAMP: error: thunk.o: symbol '__SCT__x' is made by the linker; remove its definition or --static-calls

# RUN: not %ld.lld --static-calls call.o pcrel.o -o pcrel.out 2>&1 | FileCheck %s --check-prefix=PCREL
# PCREL: error: pcrel.o:(.data+0x0): static call key '__SCK__x' needs the plain address of a function, not relocation R_X86_64_PC32

## Discarded by a linker script.
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.data) } }' > no-key.lds
# RUN: not %ld.lld --static-calls -T no-key.lds call.o key.o -o no-key.out 2>&1 | FileCheck %s --check-prefix=UNDEF
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.static_call.text) } }' > no-thunk.lds
# RUN: not %ld.lld --static-calls -T no-thunk.lds call.o key.o -o no-thunk.out 2>&1 | FileCheck %s --check-prefix=NO-TRAMP
# NO-TRAMP: error: undefined hidden symbol: __SCT__x
# NO-TRAMP-NEXT: >>> referenced by call.o:(.text+0x1)

## Tables must not be discarded.
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.static_call_sites) } }' > no-sites.lds
# RUN: %ld.lld --static-calls -T no-sites.lds call.o key.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-TABLE -DTABLE=.static_call_sites
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.note.patchbay.static_calls) } }' > no-note.lds
# RUN: %ld.lld --static-calls -T no-note.lds call.o key.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-TABLE -DTABLE=.note.patchbay.static_calls
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.static_call_tramp_key) } }' > no-thunks.lds
# RUN: %ld.lld --static-calls -T no-thunks.lds call.o key.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-TABLE -DTABLE=.static_call_tramp_key
# NO-TABLE: warning: section [[TABLE]] is discarded by the linker script, and without it the run time cannot update static calls

## Only the linker may define thunks.
# RUN: llvm-mc -filetype=obj -triple=x86_64 table.s -o table.o
# RUN: not %ld.lld --static-calls call.o key.o table.o -o table.out 2>&1 | FileCheck %s --check-prefix=TABLE
# TABLE: error: table.o:(.static_call_sites): the linker makes this section; remove it, or link without --static-calls

## The only valid reference to a thunk is a branch to its beginning.
# RUN: llvm-mc -filetype=obj -triple=x86_64 address.s -o address.o
# RUN: not %ld.lld --static-calls call.o key.o address.o -o address.out 2>&1 | FileCheck %s --check-prefix=ADDRESS
# ADDRESS: error: address.o:(.text+0x3): relocation R_X86_64_PC32 refers to static call 'x', which can only be called and jumped to
# ADDRESS: error: address.o:(.text+0xa): relocation R_X86_64_REX_GOTPCRELX refers to static call 'x', which can only be called and jumped to
# ADDRESS: error: address.o:(.text+0xf): branch into the middle of static call 'x'
# ADDRESS: error: address.o:(.data+0x0): relocation R_X86_64_64 refers to static call 'x', which can only be called and jumped to
## The byte before this field equals the opcode of a call.
# ADDRESS: error: address.o:(.data+0x9): relocation R_X86_64_PC32 refers to static call 'x', which can only be called and jumped to

## The key is in TLS, or a script defines it in an output section.
# RUN: llvm-mc -filetype=obj -triple=x86_64 tls.s -o tls.o
# RUN: not %ld.lld --static-calls -z norelro call.o tls.o -o tls.out 2>&1 | FileCheck %s --check-prefix=TLS
# TLS: error: tls.o:(.tdata+0x0): static call key '__SCK__x' is thread-local; all threads have one thunk
# RUN: echo 'SECTIONS { .text : { *(.text) } .data : { __SCK__x = .; QUAD(0) QUAD(0) QUAD(0) } }' > key.lds
# RUN: not %ld.lld --static-calls -T key.lds call.o -o script.out 2>&1 | FileCheck %s --check-prefix=SCRIPT
# SCRIPT: static call key '__SCK__x' is not in a writable section

## The target is a weak function that may be missing.
# RUN: llvm-mc -filetype=obj -triple=x86_64 weak-target.s -o weak-target.o
# RUN: not %ld.lld --static-calls -pie call.o weak-target.o dso.so -o weak-target.out 2>&1 | FileCheck %s --check-prefix=WEAK-TARGET
# WEAK-TARGET: error: weak-target.o:(.data+0x0): static call key '__SCK__x' refers to weak function 'hook', which may be missing at run time; define it with DEFINE_STATIC_CALL_NULL and update it
# RUN: %ld.lld --static-calls call.o weak-target.o -o /dev/null

## The first of several weak definitions wins, as for any symbol, in any relocation
## format. The other definitions may also refer to the thunk.
# RUN: llvm-mc -filetype=obj -triple=x86_64 -crel --defsym TO_END=1 weak.s -o weak1.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 weak.s -o weak2.o
# RUN: %ld.lld --static-calls --fatal-warnings call.o weak1.o weak2.o -o weak
# RUN: llvm-objdump -d --no-show-raw-insn weak | FileCheck %s --check-prefix=WEAK
# WEAK: <__SCT__x>:
# WEAK-NEXT: jmp {{.*}} <end>

## A call in a section that --gc-sections drops is no error.
# RUN: %ld.lld --static-calls --gc-sections start.o call.o -e start -o /dev/null

## These targets have no static calls.
# RUN: llvm-mc -filetype=obj -triple=riscv64 riscv -o riscv.o
# RUN: not %ld.lld --static-calls riscv.o -o riscv.out 2>&1 | FileCheck %s --check-prefix=ARCH
# ARCH: error: riscv.o: --static-calls does not support this target
# RUN: llvm-mc -filetype=obj -triple=x86_64-linux-gnux32 call.s -o x32.o
# RUN: not %ld.lld --static-calls x32.o -o x32.out 2>&1 | FileCheck %s --check-prefix=X32
# X32: error: x32.o: --static-calls does not support this target
# RUN: llvm-mc -filetype=obj -triple=aarch64-linux-gnu_ilp32 ilp32.s -o ilp32.o
# RUN: not %ld.lld --static-calls ilp32.o -o ilp32.out 2>&1 | FileCheck %s --check-prefix=ILP32
# ILP32: error: ilp32.o: --static-calls does not support this target

# RUN: not ls *.out

#--- call.s
.globl _start
_start:
  call __SCT__x
#--- start.s
.section .text.start,"ax"
.globl start
start:
  ret

#--- key.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad _start, __SCT__x, 0
#--- key2.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad _start, __SCT__x, 0
#--- dso.s
.data
.globl __SCK__x
.type __SCK__x,@object
.size __SCK__x, 24
__SCK__x:
  .quad 0, 0

#--- undef-target.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad no_such_function, __SCT__x, 0
#--- object.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad variable, __SCT__x, 0
.type variable,@object
.globl variable
variable:
  .quad 0
#--- data.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad .rodata+8, __SCT__x, 0
.section .rodata,"a"
  .quad 0, 0

#--- small.s
.data
.globl __SCK__x
.p2align 3
.size __SCK__x, 8
__SCK__x:
  .quad _start, 0
#--- end.s
.data
.p2align 3
  .quad 0
.globl __SCK__x
__SCK__x:
  .quad _start
  .long 0
#--- odd.s
.data
.p2align 3
  .long 0
.globl __SCK__x
__SCK__x:
  .quad _start, __SCT__x, 0
#--- odd-section.s
.data
.globl __SCK__x
.p2align 2
__SCK__x:
  .quad _start, __SCT__x, 0

#--- rodata.s
.section .rodata,"a"
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad _start, __SCT__x, 0
#--- abs.s
.globl __SCK__x
__SCK__x = 0x1000
#--- relro.s
.section .data.rel.ro,"aw"
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad _start, __SCT__x, 0

#--- thunk.s
.globl __SCT__x
__SCT__x:
  jmp _start
#--- pcrel.s
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .long _start - .
  .long 0
  .quad __SCT__x, 0

#--- tls.s
.section .tdata,"awT",@progbits
.globl __SCK__x
.p2align 3
.type __SCK__x,@tls_object
__SCK__x:
  .quad 0, 0, 0
#--- weak-target.s
.weak hook
.data
.globl __SCK__x
.p2align 3
.hidden __SCK__x
__SCK__x:
  .quad hook, __SCT__x, 0
#--- copy.s
  movq $__SCK__x, %rax
#--- table.s
.section .static_call_sites,"a"
  .quad 0
#--- address.s
  leaq __SCT__x(%rip), %rax
  movq __SCT__x@GOTPCREL(%rip), %rax
  jmp __SCT__x+4
.data
  .quad __SCT__x
  .byte 0xe8
  .long __SCT__x - . - 4
#--- weak.s
.data
.weak __SCK__x
.p2align 3
__SCK__x:
.ifdef TO_END
  .quad end
.else
  .quad _start
.endif
  .quad __SCT__x, 0
.section .text.end,"ax"
.weak end
end:
  ret

#--- ilp32.s
.globl _start
_start:
  bl __SCT__x
.data
.globl __SCK__x
__SCK__x:
  .word _start, 0, 0, 0, 0, 0
#--- riscv
call __SCT__x
