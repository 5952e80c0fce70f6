# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## With --noinhibit-exec errors become warnings, and the linker writes the output. A thunk
## without a usable key traps and is in no table. --error-limit= counts these errors.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o x86.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 --defsym ARM=1 a.s -o arm.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le --defsym PPC=1 a.s -o ppc.o

# RUN: not %ld.lld --static-calls x86.o -o none 2>&1 | FileCheck %s -DFILE=x86.o -DKIND=error
# RUN: not ls none
# RUN: not %ld.lld --static-calls --error-limit=1 x86.o -o none 2>&1 | FileCheck %s --check-prefix=LIMIT
# RUN: %ld.lld --static-calls --noinhibit-exec x86.o -o x86 2>&1 | FileCheck %s -DFILE=x86.o -DKIND=warning
# RUN: llvm-objdump -dz --no-show-raw-insn x86 | FileCheck %s --check-prefixes=TRAP,GOOD -DTRAP=int3 -DJUMP=jmp
# RUN: llvm-readelf -x .static_call_sites x86 | FileCheck %s --check-prefix=SITES
# RUN: %ld.lld --static-calls --noinhibit-exec arm.o -o arm 2>&1 | FileCheck %s -DFILE=arm.o -DKIND=warning
# RUN: llvm-objdump -dz --no-show-raw-insn arm | FileCheck %s --check-prefixes=TRAP,GOOD -DTRAP=udf -DJUMP=b
# RUN: %ld.lld --static-calls --noinhibit-exec ppc.o -o ppc 2>&1 | FileCheck %s -DFILE=ppc.o -DKIND=warning
# RUN: llvm-objdump -dz --no-show-raw-insn ppc | FileCheck %s --check-prefixes=TRAP,GOOD -DTRAP=trap -DJUMP=b

## The same with -r, where the key must be present.
# RUN: %ld.lld -r --static-calls-relocatable --noinhibit-exec x86.o -o x86.ro 2>&1 | FileCheck %s --check-prefix=SMALL -DFILE=x86.o -DKIND=warning
# RUN: llvm-objdump -dr --no-show-raw-insn x86.ro | FileCheck %s --check-prefix=TRAP -DTRAP=int3

## With invalid options, or for targets without static calls, there is no output.
# RUN: not %ld.lld --static-calls-kernel --noinhibit-exec x86.o -o none 2>&1 | FileCheck %s --check-prefix=OPTION
# RUN: not ls none

# CHECK: [[KIND]]: [[FILE]]: undefined static call key '__SCK__none'
# CHECK: [[KIND]]: [[FILE]]:(__SCK__small): static call key '__SCK__small' has 4 bytes, 24 are needed
# SMALL: [[KIND]]: [[FILE]]:(__SCK__small): static call key '__SCK__small' has 4 bytes, 8 are needed
# LIMIT: error: x86.o: undefined static call key '__SCK__none'
# LIMIT: too many errors emitted, stopping now
# LIMIT-NOT: has 4 bytes
# OPTION: error: --static-calls-kernel is only supported on PowerPC64 targets

# TRAP: <__SCT__small>:
# TRAP-NEXT: [[TRAP]]
# GOOD: <__SCT__good>:
# GOOD-NOT: [[TRAP]]
# GOOD: [[JUMP]]
## One entry: the call of __SCT__good.
# SITES: {{^0x[0-9a-f]+ [0-9a-f]{8} [0-9a-f]{8}  }}

#--- a.s
.macro callee name
.ifdef ARM
  bl \name
.else
.ifdef PPC
  bl \name
  nop
.else
  call \name
.endif
.endif
.endm
.globl _start
_start:
  callee __SCT__none
  callee __SCT__small
  callee __SCT__good
.data
.p2align 3
.globl __SCK__small, __SCK__good
.size __SCK__small, 4
__SCK__small:
  .quad _start
__SCK__good:
  .quad _start, __SCT__good, 0
