/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function with the layout of ABI version VERSION (default: 1), as far as other
 * versions read it: record, descriptor, constructor and destructor. Other versions must
 * not read the descriptor past its version field. Since version 2 there is a loaded
 * note (NOTE), by which a runtime that is loaded later finds the module.
 */
#ifndef VERSION
#define VERSION 1
#endif
	.text
	.p2align 4
	.quad 0
	.fill 8, 1, 0xc3
	.globl old
	.type old, @function
old:
.Lold:
	.byte 0xa9, 0, 0, 0, 0, 0x72, -8 - 7
	leal 1(%rdi), %eax
	ret
	.size old, . - old

	.section patchbay_sites, "ao", @progbits, .text
	.p2align 2
	.long .Lold - ., .Lold - .
	.long 0
	.byte 1, 0, 0, 0x10

	.section .note.patchbay, "", @note
	.p2align 2
	.long 9, 8, 1
	.asciz "Patchbay"
	.p2align 2
	.long VERSION, 1

	.section .rodata, "a", @progbits
	.p2align 3
module:
	.long VERSION, 24
	.quad -1, 1

	.macro call name, array
	.weak \name
	.text
1:	leaq module(%rip), %rdi
	movq \name@GOTPCREL(%rip), %rax
	testq %rax, %rax
	je 2f
	jmpq *%rax
2:	ret
	.section \array, "aw"
	.quad 1b
	.endm
	call patchbay_module_register, .init_array
	call patchbay_module_unregister, .fini_array

#ifdef NOTE
	.section .note.patchbay.module, "a", @note
	.p2align 2
	.long 9, 8, 6
	.asciz "Patchbay"
	.p2align 2
	.long VERSION, module - .
#endif

	.section .note.GNU-stack, "", @progbits
