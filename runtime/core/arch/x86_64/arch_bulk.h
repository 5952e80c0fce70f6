/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What bulk.c changes of a function, in a copy of its text. Why threads may run
 * through it while the copy is written is in patch.c; of the slot, in shared.h.
 */
#ifndef PB_X86_64_ARCH_BULK_H
#define PB_X86_64_ARCH_BULK_H

#include "arch/x86_64/insn.h"

#include <errno.h>

struct pb_module;

/* From the prefix to the end of what is changed of the site. */
#define PB_BULK_BEFORE (-PATCHBAY_SLOT_OFFSET)
#define PB_BULK_SITE 1
#define PB_BULK_SITE_SIZE PATCHBAY_X86_64_SITE_SIZE
/* What is read of the site: no function is shorter. */
#define PB_BULK_SITE_READ 8

/*
 * What disarmed sites that lead to the same stub say, of which each differs from the
 * next only by how far it is from there. [0] is of a site at the entry, [1] of one behind
 * a landing pad.
 * @from: add the number in the site's branch to the site, and this is what is reached
 * @rest: all of the site's first seven bytes but that number
 */
struct pb_bulk_sites {
	uintptr_t from[2];
	uint64_t rest[2];
};

/*
 * Of sites from @low to below @high, and one of their two stubs. A site that could not
 * reach that is none; so it is if nobody knows the stub, which is 0 then: nothing that
 * begins with a zero is a disarmed site.
 */
static inline void pb_bulk_expect(struct pb_bulk_sites *sites, int pad,
				  uintptr_t stub, uintptr_t low, uintptr_t high)
{
	const uintptr_t from = stub - PATCHBAY_X86_64_SITE_BRANCH_SIZE;
	const int64_t most = (int64_t)(from - low), least = (int64_t)(from - high);
	const uint64_t back = (uint64_t)PATCHBAY_PAD_OFFSET -
			      (pad ? PATCHBAY_X86_64_ENDBR64_SIZE : 0) -
			      PATCHBAY_X86_64_SITE_SIZE;

	sites->from[pad] = from;
	sites->rest[pad] = 0;
	if (stub && most == (int32_t)most && least == (int32_t)least)
		sites->rest[pad] = PATCHBAY_X86_64_SITE_DISARMED |
				   (uint64_t)PATCHBAY_X86_64_SITE_JB << 40 |
				   (back & 0xff) << 48;
}

/*
 * Is the site that is @from_entry bytes behind @entry one of these, with the usual pad
 * before the entry? Others are looked at by pb_arch_site_state(). It is
 * pb_x86_64_site() and pb_x86_64_leads() by one load of the site, whose last byte is
 * the body's first one.
 */
static inline int pb_bulk_is_disarmed(const struct pb_bulk_sites *sites,
				      uintptr_t entry, uintptr_t from_entry)
{
	const uintptr_t site = entry + from_entry;
	const int pad = from_entry != 0;
	uint64_t now, expected;
	uint32_t before;

	if (from_entry & ~(uintptr_t)PATCHBAY_X86_64_ENDBR64_SIZE)
		return 0;
	expected = sites->rest[pad] |
		   (uint64_t)(uint32_t)(sites->from[pad] - site) << 8;
	memcpy(&now, (const void *)site, sizeof(now));
	memcpy(&before, (const void *)(entry + (uintptr_t)PATCHBAY_PAD_OFFSET),
	       sizeof(before));
	return !((now ^ expected) << 8) &&
	       !((before ^ PATCHBAY_X86_64_RET * 0x010101u) << 8);
}

/* pb_arch_slot() */
static inline uint64_t pb_bulk_slot_at(uintptr_t entry)
{
	uint64_t slot;

	memcpy(&slot, (const void *)(entry - PB_BULK_BEFORE), sizeof(slot));
	return slot;
}

/*
 * Let the slot that is @at say @slot. @led: threads may be looking at it, so no
 * more than the one byte may be another, and no more than that is changed.
 */
static inline int pb_bulk_slot(uint8_t *at, uint64_t slot, int led)
{
	uint64_t now;

	memcpy(&now, at, sizeof(now));
	if (led && (now ^ slot) & ~UINT64_C(0xff00))
		return -EILSEQ;
	memcpy(at, &slot, sizeof(slot));
	return 0;
}

/* Have stubs of the module led to trampolines, as they do once a site is armed? */
int pb_arch_is_open(const struct pb_module *module);

/* Arm or disarm the site that is @at. It must not be so already. */
static inline int pb_bulk_flip(uint8_t *at, int arm)
{
	if (at[0] != (arm ? PATCHBAY_X86_64_SITE_DISARMED :
			    PATCHBAY_X86_64_SITE_CALL))
		return -EILSEQ;
	at[0] = arm ? PATCHBAY_X86_64_SITE_CALL : PATCHBAY_X86_64_SITE_DISARMED;
	return 0;
}

#endif /* PB_X86_64_ARCH_BULK_H */
