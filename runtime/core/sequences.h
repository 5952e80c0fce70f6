/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For architectures whose armed sites branch to a sequence of their own, which is
 * made when the function is armed first: where sequences are, and which is
 * whose. It leads to a trampoline and back, so that calls and returns stay
 * paired; what it consists of is the architecture's (insn.h).
 *
 * Sequences are not the compiler's: every function would pay for what only armed
 * ones need. They are in places of PB_PLACE_SIZE bytes near the module. Where no
 * place is in reach of all text, sites are given one that is in reach of them.
 * Modules share places: many small ones that lie together would leave no room in
 * reach if each had one of its own.
 *
 * Why other threads may execute them: a sequence is written before anything leads
 * to it, and never again; the sync between publishing and arming orders it, with
 * the caches that the kernel sees to, before the first fetch. It stays its
 * function's while the module is loaded: a thread may rest in it for any time, on
 * its way in or out, and nobody could tell.
 *
 * Of arch.h this defines pb_arch_map_reach(), pb_arch_unmap_reach(),
 * pb_arch_reach(), pb_arch_open(), pb_arch_prepare() and pb_arch_publish().
 */
#ifndef PB_CORE_SEQUENCES_H
#define PB_CORE_SEQUENCES_H

#include "arch.h"

#include <stdbool.h>

#define PB_SEQUENCE_SIZE 40
#define PB_SEQUENCE_WORDS (PB_SEQUENCE_SIZE / 4)

/* A page of most kernels. */
#define PB_PLACE_SIZE 0x10000ul

/*
 * Which of three trampolines a function's sequence leads to: 0, 1 or 2, which keep
 * 2, 4 or all registers that arguments may be in.
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

/* The sequence of @site's function, or 0: it was never armed. */
uintptr_t pb_sequence_of(const struct pb_site *site);

/* How far from a site its sequence may be, either way. */
extern const uintptr_t pb_arch_sequence_reach;

/*
 * What a place begins with, all of whose sequences may branch to it: at most
 * PB_SEQUENCE_SIZE bytes, and @code has as many zeroes.
 */
void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS]);

/*
 * The sequence of @site that is to be @at, in the place that begins at @place.
 * False if they cannot reach each other.
 */
bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      uint32_t code[PB_SEQUENCE_WORDS]);

#endif /* PB_CORE_SEQUENCES_H */
