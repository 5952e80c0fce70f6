/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * AArch64 instructions that the core reads and writes. Pure functions of words:
 * compiled and tested on every host.
 */
#ifndef PB_AARCH64_INSN_H
#define PB_AARCH64_INSN_H

#include <patchbay/abi.h>

#include <stdbool.h>
#include <stdint.h>

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

/* Where the branch @word at @from leads. */
static inline uint64_t pb_aarch64_branch_target(uint32_t word, uint64_t from)
{
	/* Sign and word size at once: bit 25 becomes bit 31, then >> 4. */
	return from + (uint64_t)(int64_t)((int32_t)(word << 6) >> 4);
}

/* Let *@word, a B or BL at @from, lead to @to. False if that is too far. */
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
 * Is there a slot before @entry? Its pad proves it: one `ret` before the hash
 * or another `ret`; or, before the words of -fsanitize=function, two before the
 * slot.
 */
static inline bool pb_aarch64_has_slot(const uint32_t *entry)
{
	const uint32_t *pad = entry + PATCHBAY_PAD_OFFSET / 4;

	if (*pad != PATCHBAY_FUNCTION_SANITIZER_MAGIC)
		return *pad == PB_AARCH64_RET;
	pad = entry + PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET / 4;
	return pad[0] == PB_AARCH64_RET && pad[1] == PB_AARCH64_RET;
}

/*
 * The word that tells the state of the site that is @from_entry bytes behind
 * @entry: a NOP, B or BL. 0 if this is no site of that function.
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
 * The veneer that leads from a module to a trampoline out of its reach. Only
 * direct branches lead to it, so it is no landing pad; the trampoline is one.
 *
 *	ldr	x16, .+8
 *	br	x16
 *	<address>
 */
#define PB_AARCH64_VENEER_WORDS 4

static inline void pb_aarch64_veneer(uint32_t code[PB_AARCH64_VENEER_WORDS],
				     uint64_t target)
{
	code[0] = 0x58000050;
	code[1] = 0xd61f0200;
	code[2] = (uint32_t)target;
	code[3] = (uint32_t)(target >> 32);
}

#endif /* PB_AARCH64_INSN_H */
