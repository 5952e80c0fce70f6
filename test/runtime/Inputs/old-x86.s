# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A 32-bit program: writes a line and waits.
	.globl	_start
_start:
	movl	$4, %eax
	movl	$1, %ebx
	movl	$line, %ecx
	movl	$6, %edx
	int	$0x80
	movl	$29, %eax
	int	$0x80
	jmp	_start
line:
	.ascii	"ready\n"
	.section .note.GNU-stack, "", @progbits
