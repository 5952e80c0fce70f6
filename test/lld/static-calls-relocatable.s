# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## -r leaves the tramps to the final link.

# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o %t.o
# RUN: %ld.lld --static-calls -r %t.o -o %t.r.o
# RUN: llvm-nm %t.r.o | FileCheck %s --check-prefix=REL
# RUN: %ld.lld --static-calls %t.r.o -o %t
# RUN: llvm-nm %t | FileCheck %s

# REL:   D __SCK__x
# REL:   U __SCT__x
# CHECK: D __SCK__x
# CHECK: t __SCT__x

.globl _start
_start:
  call __SCT__x
  ret
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad _start
  .quad __SCT__x, 0
