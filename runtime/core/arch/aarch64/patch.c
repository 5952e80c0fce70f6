/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of AArch64; see abi.h for their forms.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. It is written while the site is disarmed, and the sync
 *   between publishing and arming orders it before the first call.
 * - The site's second word: aligned, and a NOP or a BL before and after. Those
 *   are among the instructions that may be exchanged for each other while they
 *   are executed (Arm ARM, DDI 0487, B2.2.5 "Concurrent modification and
 *   execution of instructions"): a thread executes the old one or the new one,
 *   and the new one once a context synchronization event has followed. The
 *   displacement is part of the word, so there is nothing to publish before.
 *
 * The kernel stores the word at once (memcpy() copies 4 bytes by a register),
 * then cleans and invalidates caches as far as instruction fetch needs.
 */
#include "arch.h"

#include "arch/aarch64/entry.h"
#include "arch/aarch64/insn.h"
#include "module.h"
#include "os/linux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const size_t pb_arch_site_size = PATCHBAY_AARCH64_SITE_SIZE;
/* Of other instructions than the above the Arm ARM promises nothing. */
const int pb_arch_rewrite = 0;

/* A page of slack keeps arithmetic simple. */
#define REACH 0x7fff000ul

/* By registers to save; see entry.S. */
#define NR_TRAMPOLINES 3

/*
 * A veneer for each trampoline, once or, where text is too large for one place
 * to be in reach of all of it, before and behind the text.
 */
#define VENEER_SIZE (PB_AARCH64_VENEER_WORDS * sizeof(uint32_t))
#define VENEERS_SIZE (NR_TRAMPOLINES * VENEER_SIZE)
#define NR_PLACES 2

struct pb_aarch64_reach {
	const char *places[NR_PLACES];
};

void pb_arch_init(void)
{
}

static uintptr_t branch_of(const struct pb_site *site)
{
	return site->site + PATCHBAY_AARCH64_SITE_BRANCH_OFFSET;
}

/* The armed site's branch. False if that cannot reach. */
static bool armed_word(const struct pb_site *site, uint32_t *word)
{
	*word = PATCHBAY_AARCH64_SITE_BL;
	return pb_aarch64_retarget(word, branch_of(site),
				   (uintptr_t)site->reach);
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint32_t *entry = (const uint32_t *)site->entry;
	uint32_t word, armed;

	/* The trampolines find the entry by its alignment, too. */
	if (site->entry % PATCHBAY_SLOT_SIZE || !pb_aarch64_has_slot(entry))
		return -ENOEXEC;
	word = pb_aarch64_site(entry, (int64_t)(site->site - site->entry));
	if (word == PB_AARCH64_NOP)
		return PB_SITE_DISARMED;
	/* A branch to anywhere else is somebody else's. */
	return armed_word(site, &armed) && word == armed ? PB_SITE_ARMED :
							   -EILSEQ;
}

uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + PATCHBAY_SLOT_OFFSET);
}

static int replace(struct pb_patch *patch, uintptr_t addr, const void *old,
		   const void *new, size_t len)
{
	*patch = (struct pb_patch){ .addr = addr, .len = (uint8_t)len };
	memcpy(patch->old, old, len);
	memcpy(patch->new, new, len);
	return memcmp(old, new, len) != 0;
}

int pb_arch_prepare(const struct pb_site *site, int *stale)
{
	uint32_t armed;

	(void)stale;
	return armed_word(site, &armed) ? 0 : -ERANGE;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	uintptr_t slot = pb_arch_slot(site->entry);

	return replace(patch, site->entry + PATCHBAY_SLOT_OFFSET, &slot, &cell,
		       sizeof(cell));
}

static void flip(const struct pb_site *site, struct pb_patch *patch, int arm)
{
	const uint32_t disarmed = PB_AARCH64_NOP;
	uint32_t armed;

	/* In reach: it was prepared, or is what the site's state is read by. */
	armed_word(site, &armed);
	replace(patch, branch_of(site), arm ? &disarmed : &armed,
		arm ? &armed : &disarmed, sizeof(armed));
}

void pb_arch_arm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 1);
}

void pb_arch_disarm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 0);
}

static int in_reach(uintptr_t low, uintptr_t high, uintptr_t target)
{
	return target + REACH > high && low + REACH > target;
}

static const char *trampoline(unsigned int which)
{
	return pb_aarch64_trampolines + which * PB_TRAMPOLINE_SIZE;
}

/* Veneers in reach of all that is between @low and @high. */
static const char *map_veneers(uintptr_t low, uintptr_t high, int *error)
{
	uint32_t code[NR_TRAMPOLINES][PB_AARCH64_VENEER_WORDS];

	for (unsigned int i = 0; i < NR_TRAMPOLINES; i++)
		pb_aarch64_veneer(code[i], (uintptr_t)trampoline(i));
	return pb_os_map_code(high > REACH ? high - REACH : 0, low + REACH,
			      code, sizeof(code), error);
}

void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	const uintptr_t low = module->low, high = module->high;
	/* Less than what could be reached: there must be a gap to map them in. */
	const uintptr_t most = REACH - REACH / 8;
	uintptr_t part = (high - low) / 2;
	struct pb_aarch64_reach *reach;

	*error = 0;
	if (in_reach(low, high, (uintptr_t)trampoline(0)) &&
	    in_reach(low, high, (uintptr_t)trampoline(NR_TRAMPOLINES)))
		return NULL;
	reach = calloc(1, sizeof(*reach));
	if (!reach) {
		*error = -ENOMEM;
		return NULL;
	}
	reach->places[0] = map_veneers(low, high, error);
	if (!reach->places[0] && *error == -ENOMEM) {
		/* The middle of still larger text stays out of reach. */
		if (part > most)
			part = most;
		reach->places[0] = map_veneers(low, low + part, error);
		reach->places[1] = map_veneers(high - part, high, error);
	}
	if (reach->places[0] || reach->places[1]) {
		*error = 0;
		return reach;
	}
	free(reach);
	return NULL;
}

void pb_arch_unmap_reach(void *reach_of_module)
{
	struct pb_aarch64_reach *reach = reach_of_module;

	for (int i = 0; reach && i < NR_PLACES; i++)
		if (reach->places[i])
			pb_os_unmap_code((void *)reach->places[i],
					 VENEERS_SIZE);
	free(reach);
}

const void *pb_arch_reach(const void *reach_of_module,
			  const struct patchbay_record *record)
{
	const uint8_t all = PATCHBAY_RECORD_VARIADIC |
			    PATCHBAY_RECORD_UNKNOWN_ARGS;
	const struct pb_aarch64_reach *reach = reach_of_module;
	uintptr_t site = pb_record_site(record);
	unsigned int which = 0;
	const char *place;

	if (record->flags & all || record->gp_args > 4)
		which = 2;
	else if (record->gp_args > 2)
		which = 1;
	if (!reach)
		return trampoline(which);
	place = reach->places[0];
	if (!place || !in_reach(site, site, (uintptr_t)place))
		place = reach->places[1] ? reach->places[1] : place;
	return place + which * VENEER_SIZE;
}
