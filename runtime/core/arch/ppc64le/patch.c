/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of ppc64le, and the sequences that they branch to; see abi.h and insn.h
 * for their encoding.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. The first write is before the site is first armed. The sync
 *   between publishing and arming orders this write before the first call. Afterwards
 *   threads may read the slot at any time, and only one byte of it changes; see
 *   shared_cells.h.
 * - Sequence: see sequences.h.
 * - Site: one aligned word, a NOP or a B before and after. Both are of the
 *   patch class, so a thread executes the old or the new word (Power ISA 3.1,
 *   Book II, "Concurrent Modification and Execution of Instructions"). After a
 *   context synchronization, the thread executes the new word. The kernel
 *   makes one store (memcpy() copies 4 bytes by a register) and flushes the
 *   block.
 */
#include "arch/sequences.h"

#include "arch/ppc64le/entry.h"
#include "arch/ppc64le/insn.h"

_Static_assert(PB_PPC64_SEQUENCE_SIZE == PB_SEQUENCE_SIZE, "sequences.h");
_Static_assert(PB_PPC64_SEQUENCE_BODY ==
	       PB_PPC64_SEQUENCE_RETURN + PB_RETURN_BODY, "exit.S");
_Static_assert(PB_PPC64_SEQUENCE_ENTRY ==
	       PB_PPC64_SEQUENCE_RETURN + PB_RETURN_ENTRY, "entry.S");

const size_t pb_arch_site_size = PATCHBAY_PPC64LE_SITE_SIZE;
/* For instructions that are not of the patch class, the ISA gives no guarantee. */
const int pb_arch_rewrite = 0;
const uint32_t pb_arch_ret = PB_PPC64_BLR;
const uint32_t pb_arch_nop = PB_PPC64_NOP;

const uintptr_t pb_arch_sequence_reach = 0x2000000;

void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS])
{
	pb_ppc64_veneer(code);
}

bool pb_arch_branch(const struct pb_site *site, uintptr_t sequence, uint32_t *word)
{
	return pb_ppc64_b(word, site->site, sequence);
}

uint32_t pb_arch_word(const struct pb_site *site)
{
	return pb_ppc64_site((const uint32_t *)site->entry,
			  (int64_t)(site->site - site->entry));
}

bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      const char *trampoline, uint32_t code[PB_SEQUENCE_WORDS])
{
	uint32_t armed;

	return pb_arch_branch(site, at, &armed) &&
	       pb_ppc64_sequence(code, at, place, site->site, site->entry,
				 (uintptr_t)trampoline);
}
