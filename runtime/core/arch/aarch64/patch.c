/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of AArch64, and the sequences that they branch to; see abi.h and insn.h
 * for their encoding.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. It is first written while the site has never been armed. The sync
 *   between publishing and arming orders that write before the first call. After that
 *   threads may read the slot at any time, and only one byte of it changes; see
 *   shared_cells.h.
 * - Sequence: see sequences.h.
 * - The site's second word: aligned, and a NOP or a B before and after. Those
 *   are among the instructions that may replace each other while threads
 *   execute them (Arm ARM, DDI 0487, B2.2.5 "Concurrent modification and
 *   execution of instructions"). A thread executes the old one or the new one,
 *   and the new one after a context synchronization event.
 *
 * The kernel stores the word at once (memcpy() copies 4 bytes by a register).
 * Then it cleans and invalidates the caches for instruction fetch.
 */
#include "arch/sequences.h"

#include "arch/aarch64/entry.h"
#include "arch/aarch64/insn.h"
#include "types/module.h"

#include <errno.h>
#include <string.h>

_Static_assert(PB_AARCH64_SEQUENCE_SIZE == PB_SEQUENCE_SIZE, "sequences.h");
_Static_assert(PB_AARCH64_SEQUENCE_BODY ==
	       PB_AARCH64_SEQUENCE_RETURN + PB_RETURN_BODY, "exit.S");
_Static_assert(PB_AARCH64_SEQUENCE_INSIDE ==
	       PB_AARCH64_SEQUENCE_RETURN + PB_RETURN_INSIDE, "entry.S");

const size_t pb_arch_site_size = PATCHBAY_AARCH64_SITE_SIZE;
/* The Arm ARM gives no guarantee for other instructions than the above. */
const int pb_arch_rewrite = 0;

/* One page less than the reach of a branch, so that offsets within a place do not matter. */
const uintptr_t pb_arch_sequence_reach = 0x7fff000;

void pb_arch_init(void)
{
}

/* Needs no common code: a sequence contains its trampoline's address. */
void pb_arch_place(uint32_t code[PB_SEQUENCE_WORDS])
{
	(void)code;
}

static uintptr_t branch_of(const struct pb_site *site)
{
	return site->site + PATCHBAY_AARCH64_SITE_BRANCH_OFFSET;
}

/* The armed site's branch. Returns false if the site has no sequence yet. */
static bool armed_word(const struct pb_site *site, uint32_t *word)
{
	const uintptr_t sequence = pb_sequence_of(site);

	*word = PATCHBAY_AARCH64_SITE_B;
	return sequence && pb_aarch64_retarget(word, branch_of(site), sequence);
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint32_t *entry = (const uint32_t *)site->entry;
	uint32_t word, armed;

	if (site->entry % PATCHBAY_SLOT_SIZE || !pb_aarch64_has_slot(entry))
		return -ENOEXEC;
	word = pb_aarch64_site(entry, (int64_t)(site->site - site->entry));
	if (word == PB_AARCH64_NOP)
		return PB_SITE_DISARMED;
	/* Another patcher wrote a branch to another target. */
	return armed_word(site, &armed) && word == armed ? PB_SITE_ARMED :
							   -EILSEQ;
}

uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + PATCHBAY_SLOT_OFFSET);
}

static const char *trampoline(const struct patchbay_record *record)
{
	return pb_aarch64_trampolines +
	       pb_record_trampoline(record) * PB_TRAMPOLINE_SIZE;
}

bool pb_arch_sequence(const struct pb_site *site, uintptr_t at, uintptr_t place,
		      uint32_t code[PB_SEQUENCE_WORDS])
{
	uint32_t armed = PATCHBAY_AARCH64_SITE_B;

	(void)place;
	return pb_aarch64_retarget(&armed, branch_of(site), at) &&
	       pb_aarch64_sequence(code, at, site->site, site->entry,
				   (uintptr_t)trampoline(site->record));
}

static void flip(const struct pb_site *site, struct pb_patch *patch, int arm)
{
	const uint32_t disarmed = PB_AARCH64_NOP;
	uint32_t armed;

	/* A sequence exists: pb_arch_prepare() or pb_arch_site_state() has succeeded. */
	armed_word(site, &armed);
	*patch = (struct pb_patch){ .addr = branch_of(site),
				    .len = sizeof(armed) };
	memcpy(patch->old, arm ? &disarmed : &armed, sizeof(armed));
	memcpy(patch->new, arm ? &armed : &disarmed, sizeof(armed));
}

void pb_arch_arm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 1);
}

void pb_arch_disarm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 0);
}
