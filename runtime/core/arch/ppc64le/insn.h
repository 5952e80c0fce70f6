/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ppc64le instructions that the core reads and writes: branches, entries, sites
 * and sequences. Pure functions of words: compiled and tested on every host.
 */
#pragma once

#include "arch/words.h"

#define PB_PPC64_NOP PATCHBAY_PPC64LE_SITE_NOP
#define PB_PPC64_B PATCHBAY_PPC64LE_SITE_B
#define PB_PPC64_BL (PB_PPC64_B | 1)
#define PB_PPC64_BLR 0x4e800020

/*
 * Encode a branch at @from to @to: opcode 18, 24 bits of offset in words, AA = 0, LK = 0.
 * Returns false if @to is too far.
 */
static inline bool pb_ppc64_b(uint32_t *word, uint64_t from, uint64_t to)
{
	int64_t offset = (int64_t)(to - from);

	if (offset < -0x2000000 || offset > 0x1ffffff || offset % 4)
		return false;
	*word = PB_PPC64_B | ((uint32_t)offset & 0x03fffffc);
	return true;
}

static inline bool pb_ppc64_is_b(uint32_t word)
{
	return (word & 0xfc000003) == PB_PPC64_B;
}

/* The sum that `addis A,B,@hi; addi A,A,@lo` adds to B. Ignores the high halves of @hi and @lo. */
static inline int64_t pb_ppc64_hi_lo(uint32_t hi, uint32_t lo)
{
	return (int64_t)(int16_t)hi * 0x10000 + (int16_t)lo;
}

/* The ways in which a function's entry sets up its TOC pointer. */
enum pb_ppc64_entry {
	PB_PPC64_NO_TOC,    /* not at all: the function has one entry */
	PB_PPC64_TOC,       /* by two instructions before the local entry */
	PB_PPC64_LARGE_TOC, /* also, but the TOC's distance is 8 bytes before the entry */
	PB_PPC64_UNKNOWN,   /* the entry uses r12 in another way */
};

/*
 * Decode the entry at @func that begins with @code. Sets *@toc to the TOC pointer. For
 * PB_PPC64_LARGE_TOC the caller must add the distance.
 *
 * Only a call through a pointer passes the function's address in r12. If the address of the
 * TOC is known, linkers replace `addis r2,r12` by `lis r2`.
 */
static inline enum pb_ppc64_entry
pb_ppc64_entry(const uint32_t code[2], uint64_t func, uint64_t *toc)
{
	const uint32_t form = code[0] & 0xffff0000;

	*toc = func;
	if ((form == 0x3c4c0000 /* addis r2,r12,.. */ ||
	     form == 0x3c400000 /* lis r2,.. */) &&
	    (code[1] & 0xffff0000) == 0x38420000 /* addi r2,r2,.. */) {
		if (form == 0x3c400000)
			*toc = 0;
		*toc += (uint64_t)pb_ppc64_hi_lo(code[0], code[1]);
		return PB_PPC64_TOC;
	}
	if (code[0] == 0xe84cfff8 /* ld r2,-8(r12) */ &&
	    code[1] == 0x7c426214 /* add r2,r2,r12 */)
		return PB_PPC64_LARGE_TOC;
	for (int i = 0; i < 2; i++) {
		uint32_t opcode = code[i] >> 26;

		/* addi, addis or ld by r12: a linker's stub, or assembly. */
		if ((opcode == 14 || opcode == 15 || opcode == 58) &&
		    (code[i] >> 16 & 31) == 12)
			return PB_PPC64_UNKNOWN;
	}
	return PB_PPC64_NO_TOC;
}

/*
 * Returns the word of the site @from_entry bytes after @entry: a NOP or a B. Returns 0 if there
 * is no site of that function.
 */
static inline uint32_t pb_ppc64_site(const uint32_t *entry, int64_t from_entry)
{
	const uint32_t *site = entry;
	uint64_t toc;

	if (from_entry == PATCHBAY_PPC64LE_GLOBAL_ENTRY_SIZE &&
	    pb_ppc64_entry(entry, 0, &toc) == PB_PPC64_TOC)
		site += PATCHBAY_PPC64LE_GLOBAL_ENTRY_SIZE / 4;
	else if (from_entry)
		return 0;
	return *site == PB_PPC64_NOP || pb_ppc64_is_b(*site) ? *site : 0;
}

/*
 * The sequence that an armed site branches to, 40 bytes, one for each function:
 *
 *	+0   mflr  r0
 *	+4   bl    veneer
 *	+8   mtlr  r0
 *	+12  bnelr           the body has been called
 *	+16  b     site+4
 *	+20  trap
 *	+24  <entry>
 *	+32  <trampoline>
 *
 * and the veneer, which all sequences of a place share (sequences.h):
 *
 *	mflr  r12
 *	ld    r12,24(r12)     trampoline
 *	mtctr r12
 *	bctr
 *
 * The trampoline returns by blr, which matches the bl on the link stack. mtlr finds the
 * caller's address in r0, where mflr put it. Entries of functions use neither r0 nor r12:
 * r0 is for linkage, and r12 is dead at the local entry point.
 */
#define PB_PPC64_SEQUENCE_SIZE 40
#define PB_PPC64_SEQUENCE_WORDS (PB_PPC64_SEQUENCE_SIZE / 4)
#define PB_PPC64_SEQUENCE_RETURN 8 /* where the trampoline returns to */
#define PB_PPC64_SEQUENCE_BODY 16
#define PB_PPC64_SEQUENCE_ENTRY 24
#define PB_PPC64_VENEER_WORDS 4

/* Encode the sequence for the address @at. Returns false if the sequence cannot reach @site. */
static inline bool pb_ppc64_sequence(uint32_t code[PB_PPC64_SEQUENCE_WORDS],
				     uint64_t at, uint64_t veneer,
				     uint64_t site, uint64_t entry,
				     uint64_t trampoline)
{
	code[0] = 0x7c0802a6; /* mflr r0 */
	code[2] = 0x7c0803a6; /* mtlr r0 */
	code[3] = 0x4c820020; /* bnelr */
	if (!pb_ppc64_b(&code[1], at + 4, veneer) ||
	    !pb_ppc64_b(&code[4], at + PB_PPC64_SEQUENCE_BODY,
			site + PATCHBAY_PPC64LE_SITE_SIZE))
		return false;
	code[1] |= PB_PPC64_BL;
	code[5] = 0x7fe00008; /* trap */
	code[6] = (uint32_t)entry;
	code[7] = (uint32_t)(entry >> 32);
	code[8] = (uint32_t)trampoline;
	code[9] = (uint32_t)(trampoline >> 32);
	return true;
}

static inline void pb_ppc64_veneer(uint32_t code[PB_PPC64_VENEER_WORDS])
{
	code[0] = 0x7d8802a6; /* mflr r12 */
	code[1] = 0xe98c0018; /* ld r12,24(r12) */
	code[2] = 0x7d8903a6; /* mtctr r12 */
	code[3] = 0x4e800420; /* bctr */
}
