# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A shared object exports or hides its keys, like other variables, but never exports
## thunks.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 lib.s -o lib.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 exe.s -o exe.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 both.s -o both.o

# RUN: %ld.lld --static-calls -shared --version-script=lib.ver lib.o -o lib.so
# RUN: llvm-readelf --dyn-syms lib.so | FileCheck %s --check-prefix=LIB
# LIB-NOT: __SCT__
# LIB-NOT: __SCK__own
# LIB:     24 OBJECT GLOBAL PROTECTED {{.*}} __SCK__offered@@V1
# LIB-NOT: __SC

## The executable records the version and needs the library, even with --as-needed.
# RUN: %ld.lld --static-calls -pie --as-needed exe.o lib.so -o exe
# RUN: llvm-readelf -dr --dyn-syms exe | FileCheck %s --check-prefix=EXE
# RUN: %ld.lld --static-calls -pie --as-needed --gc-sections exe.o lib.so -o exe.gc
# RUN: llvm-readelf -dr --dyn-syms exe.gc | FileCheck %s --check-prefix=EXE
# RUN: %ld.lld --static-calls -shared --as-needed --gc-sections exe.o lib.so -o exe.so
# RUN: llvm-readelf -dr --dyn-syms exe.so | FileCheck %s --check-prefix=EXE
# RUN: %ld.lld --static-calls -pie --gc-sections exe.o lib.so -o exe.gc2
# RUN: llvm-readelf -dr --dyn-syms exe.gc2 | FileCheck %s --check-prefix=EXE
## If the call is dropped, the executable does neither.
# RUN: %ld.lld --static-calls -pie --as-needed --gc-sections -e 0 exe.o lib.so -o dead
# RUN: llvm-readelf -d dead | FileCheck %s --check-prefix=DEAD --implicit-check-not=NEEDED
# DEAD: Dynamic section
# EXE: (NEEDED) {{.*}}[lib.so]
# EXE: R_X86_64_GLOB_DAT {{.*}} __SCK__offered@V1 + 0
# EXE: OBJECT GLOBAL DEFAULT UND __SCK__offered@V1

## The linker does not find hidden keys.
# RUN: not %ld.lld --static-calls -pie both.o lib.so -o both.out 2>&1 | FileCheck %s
# CHECK: error: both.o: undefined static call key '__SCK__own'; define it with DEFINE_STATIC_CALL(own, function) in one file of this link, or with DEFINE_EXPORTED_STATIC_CALL in a shared object of it
# RUN: not ls both.out

## A version script can also keep a key of default visibility local.
# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym DEFAULT=1 lib.s -o default.o
# RUN: not %ld.lld --static-calls -shared --version-script=lib.ver default.o -o default.out 2>&1 | FileCheck %s --check-prefix=DEFAULT
# DEFAULT: error: default.o:(__SCK__offered): static call key '__SCK__offered' can be preempted; give it hidden or protected visibility
# RUN: not ls default.out

#--- lib.ver
V1 { global: __SCK__offered; local: *; };
#--- lib.s
.globl f
f:
  call __SCT__offered
  jmp __SCT__own
.data
.p2align 3
.globl __SCK__offered, __SCK__own
.ifndef DEFAULT
.protected __SCK__offered
.endif
.type __SCK__offered,@object
.size __SCK__offered,24
__SCK__offered:
  .quad .text, __SCT__offered, 0
__SCK__own:
  .quad .text, __SCT__own, 0
#--- exe.s
.globl _start
_start:
  call __SCT__offered
#--- both.s
.globl _start
_start:
  call __SCT__offered
  call __SCT__own
