/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two functions with the layout of the ABI, for any architecture, written as numbers. A
 * test replaces a part of the second function, for example with -DPAD='.long 0'.
 */
#if defined(__x86_64__)
#define RETURN ret
#define GOOD_PAD .byte 0xc3, 0xc3, 0xc3, 0xb8
/*
 * Points to stub 0 or, after a landing pad, to stub 1, as in functions with one
 * argument.
 */
#define SITE_TO(pad, distance)                                                 \
	.byte 0xa9;                                                            \
	.long .Lstubs + 4 * distance - . - 4;                                  \
	.byte 0x72, pad - distance - 7
#define GOOD_SITE(distance) SITE_TO(-8, distance)
#elif defined(__aarch64__)
#define RETURN ret
#define GOOD_PAD .long 0xd65f03c0
#define GOOD_SITE(distance) .long 0xaa1e03e9, 0xd503201f
#elif defined(__powerpc64__)
#define RETURN blr
#define GOOD_PAD .long 0x4e800020
#define GOOD_SITE(distance) .long 0x60000000
#else
#define RETURN .long 0x8067
#define GOOD_PAD .long 0x8067
#define GOOD_SITE(distance) .long 0x13, 0x13
#endif

#ifndef FIRST_SIZE
#define FIRST_SIZE . - first
#endif
#ifndef BEFORE
#define BEFORE .p2align 4
#endif
#ifndef BEFORE_SLOT
#define BEFORE_SLOT
#endif
#ifndef SLOT
#define SLOT .quad 0
#endif
#ifndef BEFORE_PAD
#define BEFORE_PAD
#endif
#ifndef PAD
#define PAD GOOD_PAD
#endif
#ifndef HASH
#define HASH .long 0x12345678
#endif
#ifndef ENTRY
#define ENTRY
#endif
#ifndef SITE
#define SITE GOOD_SITE(0)
#endif
#ifndef RECORD_ENTRY
#define RECORD_ENTRY .Lsecond
#endif
#ifndef RECORD_SITE
#define RECORD_SITE .Lsite
#endif
#ifndef SIGNATURE
#define SIGNATURE 0x12345678
#endif
#ifndef COUNTS
#define COUNTS 1, 0, 0
#endif
#ifndef FLAGS
#define FLAGS 0x10
#endif
#ifndef RECORD_FLAGS
#define RECORD_FLAGS "ao"
#endif
#ifndef RECORD_ALIGN
#define RECORD_ALIGN .p2align 2
#endif
#ifndef AFTER
#define AFTER
#endif
#ifndef DESCRIPTOR
#define DESCRIPTOR                                                             \
	.long 2, 56;                                                           \
	.quad __start_patchbay_sites - .;                                      \
	.quad __stop_patchbay_sites - .;                                       \
	REST_OF_DESCRIPTOR
#endif
#ifndef STUBS
#define STUBS .Lstubs - .
#endif
#ifndef MODULE_FLAGS
#define MODULE_FLAGS 0
#endif
#define REST_OF_DESCRIPTOR                                                     \
	.quad .Llinks - .;                                                     \
	.quad .Lstate - .;                                                     \
	.quad STUBS;                                                           \
	.quad MODULE_FLAGS
#ifndef MODULE
#define MODULE __patchbay_module
#endif
#ifndef MODULE_VERSION
#define MODULE_VERSION 2
#endif
#ifndef STUB
#define STUB(i) .byte 0xff, 0x25; .long .Llinks + 16 + 8 * i - . - 4;          \
	.fill 10, 1, 0xcc
#endif

	.text
	.p2align 4
	.quad 0
	GOOD_PAD
	.long 0x87654321
	.globl first
	.type first, @function
first:
.Lfirst:
	GOOD_SITE(0)
	RETURN
	.size first, FIRST_SIZE

	BEFORE
	BEFORE_SLOT
	SLOT
	BEFORE_PAD
	PAD
	HASH
	.globl second
	.type second, @function
second:
.Lsecond:
	ENTRY
.Lsite:
	SITE
	RETURN
	.size second, . - second

#ifndef NO_RECORDS
	.section patchbay_sites, RECORD_FLAGS, @progbits, .text
	RECORD_ALIGN
	.long .Lfirst - .
	.long .Lfirst - .
	.long 0x87654321
	.byte 1, 0, 0, 0x10
	.long RECORD_ENTRY - .
	.long RECORD_SITE - .
	.long SIGNATURE
	.byte COUNTS, FLAGS

	.weak __start_patchbay_sites, __stop_patchbay_sites
	.hidden __start_patchbay_sites, __stop_patchbay_sites
	.section .rodata, "a", @progbits
	.p2align 3
	.globl __patchbay_module
	.hidden __patchbay_module
	.type __patchbay_module, @object
__patchbay_module:
	DESCRIPTOR
	.size __patchbay_module, . - __patchbay_module
	.section .note.patchbay.module, "a", @note
	.p2align 2
	.long 9, 8, 6
	.asciz "Patchbay"
	.p2align 2
	.long MODULE_VERSION
	.long MODULE - .
#endif
	.section .data.rel.ro, "aw", @progbits
	.p2align 3
.Llinks:
	.fill 8, 8, 0
	.section .bss, "aw", @nobits
	.p2align 3
.Lstate:
	.zero 16
#ifdef __x86_64__
	.text
	.p2align 4
	.globl __patchbay_stubs_2
	.hidden __patchbay_stubs_2
__patchbay_stubs_2:
.Lstubs:
	STUB(0)
	STUB(1)
	STUB(2)
	STUB(3)
	STUB(4)
	STUB(5)
	.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xf8, 0xc3
#else
	.set .Lstubs, 0
#endif

	AFTER
	.section .note.GNU-stack, "", @progbits
