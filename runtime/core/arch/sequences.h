/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Allocation of sequences, for architectures whose armed sites branch to a sequence. Each
 * function gets its own sequence when it is first armed. A sequence calls a trampoline and
 * returns, so that calls and returns stay paired. insn.h of the architecture has the code.
 *
 * The library makes sequences at run time: in the program file they would cost space for every
 * function, and only armed functions need one. Sequences are in *places*: blocks of mapped
 * memory of PB_PLACE_SIZE bytes near the module. If no place is in reach of the module's whole
 * text, a site gets a place in its own reach. Modules share places: if many small neighbouring
 * modules had one place each, no addresses in reach would stay free.
 *
 * Why other threads may execute sequences: a sequence is written once, before any branch leads
 * to it. The sync between publishing and arming orders the write before the first fetch. The
 * kernel maintains the caches. A function keeps its sequence while the module is loaded: a
 * thread that is not marked as inside may be in the sequence for any length of time.
 *
 * sequences.c defines these functions of arch.h: pb_arch_map_reach(), pb_arch_unmap_reach() and
 * all that read or change a site. The last word of a site is a NOP, or a branch to the sequence.
 */
#pragma once

#include "arch/arch.h"
#include "arch/words.h"

#define PB_SEQUENCE_SIZE 40
#define PB_SEQUENCE_WORDS (PB_SEQUENCE_SIZE / 4)

/* A multiple of the page size of most kernels. */
#define PB_PLACE_SIZE 0x10000ul

/* The largest distance from a site to its sequence, in either direction. */
extern const uintptr_t pb_arch_sequence_reach;

/*
 * The NOP, the return, and the last word of @site: the NOP or a branch, or any other word if
 * @site is not a site.
 */
extern const uint32_t pb_arch_nop, pb_arch_ret;
uint32_t pb_arch_word(const struct pb_site *site);

/* Encode the branch of @site to @sequence. Returns false if @sequence is out of reach. */
bool pb_arch_branch(const struct pb_site *site, uintptr_t sequence, uint32_t *word);

/*
 * Write the common code at the beginning of a place, to which all its sequences may branch: at
 * most PB_SEQUENCE_SIZE bytes. @code is zeroed.
 */
void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS]);

/*
 * Write the sequence of @site, which calls @trampoline, for the address @at in the place that
 * begins at @place. Returns false if site and sequence cannot reach each other.
 */
bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      const char *trampoline, uint32_t code[PB_SEQUENCE_WORDS]);
