/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of AArch64, and the sequences that they branch to; see abi.h and insn.h
 * for their encoding.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. The first write is before the site is first armed. The sync
 *   between publishing and arming orders this write before the first call. Afterwards
 *   threads may read the slot at any time, and only one byte of it changes; see
 *   shared_cells.h.
 * - Sequence: see sequences.h.
 * - The site's second word: aligned, and a NOP or a B before and after. NOP and
 *   B are among the instructions that may replace each other while threads
 *   execute them (Arm ARM, DDI 0487, B2.2.5 "Concurrent modification and
 *   execution of instructions"). A thread executes the old word or the new word,
 *   and the new word after a context synchronization event.
 *
 * The kernel writes the word by one store (memcpy() copies 4 bytes by a register).
 * Then it cleans and invalidates the caches for instruction fetch.
 */
#include "arch/sequences.h"

#include "arch/aarch64/entry.h"
#include "arch/aarch64/insn.h"

_Static_assert(PB_AARCH64_SEQUENCE_SIZE == PB_SEQUENCE_SIZE, "sequences.h");
_Static_assert(PB_AARCH64_SEQUENCE_BODY ==
	       PB_AARCH64_SEQUENCE_RETURN + PB_RETURN_BODY, "exit.S");
_Static_assert(PB_AARCH64_SEQUENCE_INSIDE ==
	       PB_AARCH64_SEQUENCE_RETURN + PB_RETURN_INSIDE, "entry.S");

const size_t pb_arch_site_size = PATCHBAY_AARCH64_SITE_SIZE;
/* For other instructions than those above, the Arm ARM gives no guarantee. */
const int pb_arch_rewrite = 0;
const uint32_t pb_arch_ret = PB_AARCH64_RET;
const uint32_t pb_arch_nop = PB_AARCH64_NOP;

/* Less than the reach of a branch, so that the position within a place does not matter. */
const uintptr_t pb_arch_sequence_reach = 0x7fff000;

/* Places need no common code: each sequence contains its trampoline's address. */
void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS])
{
	(void)code;
}

bool pb_arch_branch(const struct pb_site *site, uintptr_t sequence, uint32_t *word)
{
	*word = PATCHBAY_AARCH64_SITE_B;
	return pb_aarch64_retarget(word, site->site + PATCHBAY_AARCH64_SITE_BRANCH_OFFSET,
				   sequence);
}

uint32_t pb_arch_word(const struct pb_site *site)
{
	return pb_aarch64_site((const uint32_t *)site->entry,
			       (int64_t)(site->site - site->entry));
}

bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      const char *trampoline, uint32_t code[PB_SEQUENCE_WORDS])
{
	uint32_t armed;

	(void)place;
	return pb_arch_branch(site, at, &armed) &&
	       pb_aarch64_sequence(code, at, site->site, site->entry,
				   (uintptr_t)trampoline);
}
