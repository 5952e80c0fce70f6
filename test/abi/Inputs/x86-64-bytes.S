/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
	/* int function(int a) { return a + 1; } with the ABI's slot and site. */
#include <patchbay/abi.h>

#ifdef IBT
#define SITE PATCHBAY_X86_64_ENDBR64_SIZE
#else
#define SITE 0
#endif
#ifndef HASH
#define HASH 0
#endif

	.text
	.p2align 4
.Lprefix:
	.fill	PATCHBAY_SLOT_SIZE, 1, 0
#if HASH
	.fill	PATCHBAY_X86_64_MOV_OFFSET - PATCHBAY_PAD_OFFSET, 1, PATCHBAY_X86_64_RET
	.byte	PATCHBAY_X86_64_MOV_EAX_IMM32
	.long	HASH
#else
	.fill	-PATCHBAY_PAD_OFFSET, 1, PATCHBAY_X86_64_RET
#endif
function:
	.if	function - .Lprefix != PATCHBAY_PREFIX_SIZE
	.error	"the prefix has another size than the header says"
	.endif
#ifdef IBT
	endbr64
#endif
.Lsite:
	.byte	PATCHBAY_X86_64_SITE_DISARMED
#ifdef IBT
	.long	__patchbay_stubs_2 + PATCHBAY_X86_64_STUB_SIZE - . - 4
#else
	.long	__patchbay_stubs_2 - . - 4
#endif
	.byte	PATCHBAY_X86_64_SITE_JB
	.byte	PATCHBAY_PAD_OFFSET - SITE - PATCHBAY_X86_64_SITE_SIZE
	.if	. - .Lsite != PATCHBAY_X86_64_SITE_SIZE
	.error	"the site has another size than the header says"
	.endif
	leal	1(%rdi), %eax
	retq

	.section PATCHBAY_SITES_SECTION, "ao", @progbits, .Lsite
	.p2align 2
.Lrecord:
	.long	.Lsite - SITE - .
	.long	.Lsite - .
	.long	HASH
	.byte	1, 0, 0, PATCHBAY_RECORD_RETURN_GP
	.if	. - .Lrecord != PATCHBAY_RECORD_SIZE
	.error	"the record has another size than the header says"
	.endif

	.section PATCHBAY_NOTE_SECTION, "", @note
	.p2align 2
	.long	.Lname_end - .Lname, .Ldescriptor_end - .Ldescriptor, PATCHBAY_NOTE_ABI
.Lname:
	.asciz	PATCHBAY_NOTE_NAME
.Lname_end:
	.p2align 2
.Ldescriptor:
	.long	PATCHBAY_ABI_VERSION, PATCHBAY_MODE_USER
.Ldescriptor_end:
