# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lld-patch/upstream/ppc64-toc-save-far.md
# XFAIL: *
# RUN: split-file %s %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le %t/a.s -o %t/a.o
# RUN: %stock_lld -T %t/a.lds -e caller %t/a.o -o %t/a
# RUN: llvm-objdump -d --no-show-raw-insn %t/a | FileCheck %s

# callee - .TOC. is 0x14010000 - 0x10068000 = 0x3fa8000: (1019 << 16) - 32768.
# CHECK-LABEL: <__toc_save_callee>:
# CHECK:         std 2, 24(1)
# CHECK-NEXT:    addis 12, 2, 1019
# CHECK-NEXT:    addi 12, 12, -32768
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr

#--- a.lds
SECTIONS {
  .text_caller 0x10010000 : { *(.text_caller) }
  .got         0x10060000 : { *(.got) }
  .text_callee 0x14010000 : { *(.text_callee) }
}
#--- a.s
	.abiversion 2
	.section .text_caller,"ax",@progbits
	.globl caller
caller:
	addis 2, 12, .TOC.-caller@ha
	addi 2, 2, .TOC.-caller@l
	.localentry caller, .-caller
	bl callee
	nop
	blr
	.section .text_callee,"ax",@progbits
	.globl callee
	.type callee,@function
callee:
	.localentry callee, 1
	blr
