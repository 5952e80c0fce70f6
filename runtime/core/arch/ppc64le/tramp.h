/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ppc64le code of static calls: tramps. Pure functions of words: compiled
 * and tested on every host.
 */
#pragma once

#include "insn.h"

#define PB_PPC64_TRAMP_WORDS (PATCHBAY_PPC64_TRAMP_SIZE / 4)
#define PB_PPC64_NOTOC_TRAMP_WORDS (PATCHBAY_PPC64_NOTOC_TRAMP_SIZE / 4)

/* The word at a byte offset in a tramp. */
#define PB_PPC64_AT(code, offset) ((code)[(offset) / 4])

/* The immediates of pb_ppc64_hi_lo() for @sum. Returns false if @sum is too large. */
static inline bool pb_ppc64_split(int64_t sum, uint16_t *hi, uint16_t *lo)
{
	*lo = (uint16_t)sum;
	*hi = (uint16_t)((uint64_t)(sum + 0x8000) >> 16);
	return pb_ppc64_hi_lo(*hi, *lo) == sum;
}

/*
 * The near form's first two words, which set the TOC pointer:
 *
 *	addis r2,r2,hi
 *	addi  r2,r2,lo
 *
 * Both immediates are 0 until the runtime has filled them in.
 */
#define PB_PPC64_NEAR_ADDIS 0x3c420000
#define PB_PPC64_NEAR_ADDI 0x38420000

static inline bool pb_ppc64_is_near(const uint32_t near[2])
{
	return (near[0] & 0xffff0000) == PB_PPC64_NEAR_ADDIS &&
	       (near[1] & 0xffff0000) == PB_PPC64_NEAR_ADDI;
}

static inline bool pb_ppc64_is_filled(const uint32_t near[2])
{
	return near[0] != PB_PPC64_NEAR_ADDIS || near[1] != PB_PPC64_NEAR_ADDI;
}

static inline bool pb_ppc64_near(uint32_t near[2], int64_t distance)
{
	uint16_t hi, lo;

	if (!pb_ppc64_split(distance, &hi, &lo))
		return false;
	near[0] = PB_PPC64_NEAR_ADDIS | hi;
	near[1] = PB_PPC64_NEAR_ADDI | lo;
	return true;
}

/*
 * The offset of a prefixed PC-relative instruction (R = 1). The offset has 18 bits in
 * the prefix and 16 in the suffix.
 */
static inline int64_t pb_ppc64_pcrel(const uint32_t code[2])
{
	int64_t offset = (int64_t)(code[0] & 0x3ffff) << 16 | (code[1] & 0xffff);

	return offset - (offset >> 33 << 34);
}

/* Does @code have the words that follow the load of r12, in either half of a tramp? */
static inline bool pb_ppc64_is_jump(const uint32_t code[3], bool imported)
{
	static const uint32_t jump[2][3] = {
		{ 0x7d8903a6 /* mtctr r12 */, 0x4e800420 /* bctr */,
		  0x7fe00008 /* trap */ },
		{ 0xe98c0000 /* ld r12,0(r12) */, 0x7d8903a6 /* mtctr r12 */,
		  0x4e800420 /* bctr */ },
	};

	for (int i = 0; i < 3; i++)
		if (code[i] != jump[imported][i])
			return false;
	return true;
}

/*
 * Returns the address from which the first half of a tramp loads its target. @toc is the TOC
 * pointer of the tramp's module. Returns 0 if @code is not such a tramp. See abi.h for the code.
 */
static inline uint64_t
pb_ppc64_tramp_key(const uint32_t code[PB_PPC64_TRAMP_WORDS], uint64_t toc,
		   bool imported)
{
	const uint32_t *load =
		&PB_PPC64_AT(code, PATCHBAY_PPC64_TRAMP_INDIRECT_OFFSET);
	const uint32_t *near =
		&PB_PPC64_AT(code, PATCHBAY_PPC64_TRAMP_NEAR_OFFSET);
	uint32_t branch = PB_PPC64_AT(code, PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET);

	if (code[0] != 0xf8410018 /* std r2,24(r1) */ ||
	    (branch != PB_PPC64_NOP && !pb_ppc64_is_b(branch)))
		return 0;
	if ((load[0] & 0xffff0000) != 0x3d820000 /* addis r12,r2,.. */ ||
	    (load[1] & 0xffff0003) != 0xe98c0000 /* ld r12,..(r12) */ ||
	    !pb_ppc64_is_jump(load + 2, imported))
		return 0;
	if (!pb_ppc64_is_near(near) || !pb_ppc64_is_b(near[2]))
		return 0;
	if (PB_PPC64_AT(code, PATCHBAY_PPC64_TRAMP_RETURN0_OFFSET) !=
		    0x38600000 /* li r3,0 */ ||
	    PB_PPC64_AT(code, PATCHBAY_PPC64_TRAMP_RETURN_OFFSET) !=
		    0x4e800020 /* blr */)
		return 0;
	return toc + (uint64_t)pb_ppc64_hi_lo(load[0], load[1]);
}

/*
 * Like pb_ppc64_tramp_key(), for the second half of a tramp, which is at @addr and serves
 * callers without a TOC pointer. Also returns 0 if @code does not set up @toc.
 */
static inline uint64_t
pb_ppc64_notoc_key(const uint32_t code[PB_PPC64_NOTOC_TRAMP_WORDS],
		   uint64_t addr, uint64_t toc, bool imported)
{
	const uint32_t *load =
		&PB_PPC64_AT(code, PATCHBAY_PPC64_NOTOC_INDIRECT_OFFSET);
	const uint32_t *set =
		&PB_PPC64_AT(code, PATCHBAY_PPC64_NOTOC_SET_TOC_OFFSET);
	uint32_t branch = PB_PPC64_AT(code, PATCHBAY_PPC64_NOTOC_BRANCH_OFFSET);

	if (branch != PB_PPC64_NOP && !pb_ppc64_is_b(branch))
		return 0;
	if ((load[0] & 0xfffc0000) != 0x04100000 /* pld r12,.. */ ||
	    (load[1] & 0xffff0000) != 0xe5800000 ||
	    !pb_ppc64_is_jump(load + 2, imported))
		return 0;
	if ((set[0] & 0xfffc0000) != 0x06100000 /* paddi r2,0,..,1 */ ||
	    (set[1] & 0xffff0000) != 0x38400000 || !pb_ppc64_is_b(set[2]))
		return 0;
	if (addr + PATCHBAY_PPC64_NOTOC_SET_TOC_OFFSET +
		    (uint64_t)pb_ppc64_pcrel(set) !=
	    toc)
		return 0;
	return addr + PATCHBAY_PPC64_NOTOC_INDIRECT_OFFSET +
	       (uint64_t)pb_ppc64_pcrel(load);
}
