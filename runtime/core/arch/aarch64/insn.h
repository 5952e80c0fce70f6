/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * AArch64 instructions that the core reads and writes. Pure functions of words:
 * compiled and tested on every host.
 */
#pragma once

#include "arch/words.h"

#define PB_AARCH64_NOP PATCHBAY_AARCH64_SITE_NOP
#define PB_AARCH64_RET 0xd65f03c0

/*
 * B and BL:
 *
 *	31  30   26 25                        0
 *	 l  0 0 1 0 1   offset in words, signed
 */
static inline bool pb_aarch64_is_branch(uint32_t word)
{
	return (word & 0x7c000000) == PATCHBAY_AARCH64_SITE_B;
}

/* The target of the branch @word at @from. */
static inline uint64_t pb_aarch64_branch_target(uint32_t word, uint64_t from)
{
	/* Sign-extend and multiply by 4: << 6 moves bit 25 to bit 31, then >> 4. */
	return from + (uint64_t)(int64_t)((int32_t)(word << 6) >> 4);
}

/* Make *@word, a B or BL at @from, branch to @to. Returns false if @to is too far. */
static inline bool pb_aarch64_retarget(uint32_t *word, uint64_t from,
				       uint64_t to)
{
	int64_t offset = (int64_t)(to - from);

	if (offset < -0x8000000 || offset > 0x7ffffff || offset % 4)
		return false;
	*word = (*word & 0xfc000000) |
		((uint32_t)((uint64_t)offset >> 2) & 0x03ffffff);
	return true;
}

/*
 * Returns the word of a site that arming changes: a NOP, B or BL. The site is @from_entry bytes
 * after @entry. Returns 0 if there is no site of that function.
 */
static inline uint32_t pb_aarch64_site(const uint32_t *entry,
				       int64_t from_entry)
{
	const uint32_t *site = entry;

	if (from_entry == PATCHBAY_AARCH64_BTI_SIZE &&
	    (*entry == PATCHBAY_AARCH64_BTI_C ||
	     *entry == PATCHBAY_AARCH64_BTI_JC))
		site++;
	else if (from_entry)
		return 0;
	if (site[0] != PATCHBAY_AARCH64_SITE_MOV)
		return 0;
	if (site[1] != PB_AARCH64_NOP && !pb_aarch64_is_branch(site[1]))
		return 0;
	return site[1];
}

/*
 * The sequence that an armed site branches to, 40 bytes, one for each function:
 *
 *	+0   ldr   x16, .+24
 *	+4   blr   x16
 *	+8   cbnz  x11, .+12
 *	+12  ret                 the body has been called
 *	+16  bti   c             exit.S calls the body here
 *	+20  b     site+8
 *	+24  <trampoline>
 *	+32  <entry+8>
 *
 * The trampoline returns to +8 by ret, which matches the blr. x30 is then as the caller
 * left it. +20 is a direct branch past the site, because no landing pad follows the site.
 * Unwinders get entry+8 as the address in the function.
 */
#define PB_AARCH64_SEQUENCE_SIZE 40
#define PB_AARCH64_SEQUENCE_WORDS (PB_AARCH64_SEQUENCE_SIZE / 4)
#define PB_AARCH64_SEQUENCE_RETURN 8 /* where the trampoline returns to */
#define PB_AARCH64_SEQUENCE_BODY 16
#define PB_AARCH64_SEQUENCE_INSIDE 32

/* Encode the sequence for the address @at. Returns false if the sequence cannot reach @site. */
static inline bool
pb_aarch64_sequence(uint32_t code[PB_AARCH64_SEQUENCE_WORDS], uint64_t at,
		    uint64_t site, uint64_t entry, uint64_t trampoline)
{
	code[0] = 0x580000d0; /* ldr x16, .+24 */
	code[1] = 0xd63f0200; /* blr x16 */
	code[2] = 0xb500006b; /* cbnz x11, .+12 */
	code[3] = PB_AARCH64_RET;
	code[4] = PATCHBAY_AARCH64_BTI_C;
	code[5] = PATCHBAY_AARCH64_SITE_B;
	code[6] = (uint32_t)trampoline;
	code[7] = (uint32_t)(trampoline >> 32);
	code[8] = (uint32_t)(entry + 8);
	code[9] = (uint32_t)((entry + 8) >> 32);
	return pb_aarch64_retarget(&code[5], at + 20,
				   site + PATCHBAY_AARCH64_SITE_SIZE);
}
