# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Hand-written instrumented functions (x86-64), which let tests choose every field of a
# record. A test for another version defines ABI.
.ifndef ABI
.set ABI, 2
.endif

# slot, pad, hash, entry, site, and the record of a function that returns
.macro traced name, binding, hash, gp, fp, stack, flags
	.section .text.\name,"ax",@progbits
	.p2align 4
	.quad 0
	.byte 0xc3, 0xc3, 0xc3, 0xb8
	.long \hash
	.\binding \name
	.type \name,@function
\name:
1:	.byte 0xa9
	.long 0
	.byte 0x72, 0xf1
	ret
	.size \name, . - \name
	.section patchbay_sites,"ao",@progbits,.text.\name,unique,\@
2:	.long 1b - .
	.long 1b - .
	.long \hash
	.byte \gp, \fp, \stack, \flags
.endm

.macro another_name name, binding, of
	.\binding \name
	.type \name,@function
	.set \name, \of
.endm

traced compute, globl, 0xa540670c, 2, 1, 0, 0x10
traced report, globl, 0, 1, 0, 3, 0x21            # variadic, returns fp
traced helper, local, 0x11, 0, 0, 0, 0x00         # void
traced die, globl, 0x22, 255, 0, 0, 0x44          # unknown arguments, noreturn
traced big, globl, 0x33, 1, 0, 0, 0x3a            # sret, musttail, other
traced _ZN5Cache3getEi, globl, 0x44, 2, 0, 0, 0x10
traced folded_b, globl, 0x55, 0, 0, 0, 0x00
another_name a_local_name, local, folded_b
another_name folded_a, weak, folded_b
traced _ZN5CacheC2Ev, globl, 0x66, 1, 0, 0, 0x00
another_name _ZN5CacheC1Ev, globl, _ZN5CacheC2Ev

	.section .note.patchbay,"a",@note
	.p2align 2
	.long 9, 8, 1
	.asciz "Patchbay"
	.p2align 2
	.long ABI, 1

	.section .note.GNU-stack,"",@progbits
