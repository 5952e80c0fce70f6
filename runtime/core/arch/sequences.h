/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Allocation of sequences, for architectures whose armed sites branch to one. Each function
 * gets its own sequence when it is first armed. A sequence calls a trampoline and returns,
 * so that calls and returns stay paired. The architecture defines its code (insn.h).
 *
 * The compiler does not emit sequences: all functions would pay for them, and only armed
 * ones need them. They are in places of PB_PLACE_SIZE bytes near the module. If no place
 * is in reach of the module's whole text, a site gets a place in its own reach. Modules
 * share places: many small neighbouring modules with one place each would leave no free
 * addresses in reach.
 *
 * Why other threads may execute them: a sequence is written once, before any branch leads
 * to it. The sync between publishing and arming orders the write before the first fetch;
 * the kernel maintains the caches. A function keeps its sequence while the module is
 * loaded: a thread may stay in it for any time, at the entry or the exit, unnoticed.
 *
 * From arch.h, sequences.c defines pb_arch_map_reach(), pb_arch_unmap_reach() and all that
 * reads or changes a site. The last word of a site is a NOP, or a branch to the sequence.
 */
#ifndef PB_CORE_SEQUENCES_H
#define PB_CORE_SEQUENCES_H

#include "arch/arch.h"

#include <stdbool.h>

#define PB_SEQUENCE_SIZE 40
#define PB_SEQUENCE_WORDS (PB_SEQUENCE_SIZE / 4)

/* The page size of most kernels, at most. */
#define PB_PLACE_SIZE 0x10000ul

/*
 * The number of the trampoline that a function's sequence calls. Trampolines 0, 1 and 2
 * save 2, 4 or all argument registers.
 */
static inline unsigned int
pb_record_trampoline(const struct patchbay_record *record)
{
	const uint8_t all = PATCHBAY_RECORD_VARIADIC |
			    PATCHBAY_RECORD_UNKNOWN_ARGS;

	if (record->flags & all || record->gp_args > 4)
		return 2;
	return record->gp_args > 2;
}

/* The largest distance from a site to its sequence, in either direction. */
extern const uintptr_t pb_arch_sequence_reach;

/*
 * The NOP. Has @site's entry a slot? The last word of @site; neither a NOP nor a branch if
 * the site is none.
 */
extern const uint32_t pb_arch_nop;
bool pb_arch_has_slot(const struct pb_site *site);
uint32_t pb_arch_word(const struct pb_site *site);

/* The branch of @site to @sequence. Returns false if that is out of reach. */
bool pb_arch_branch(const struct pb_site *site, uintptr_t sequence, uint32_t *word);

/*
 * Write the code at the beginning of a place, which all its sequences may branch to: at
 * most PB_SEQUENCE_SIZE bytes. @code is zeroed.
 */
void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS]);

/*
 * Write the sequence of @site for the address @at, in the place that begins at @place.
 * Returns false if site and sequence cannot reach each other.
 */
bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      uint32_t code[PB_SEQUENCE_WORDS]);

#endif /* PB_CORE_SEQUENCES_H */
