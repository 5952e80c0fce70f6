/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What bulk.c changes of a function, in a copy of its text. Why threads may run
 * through it while the copy is written is in patch.c; of the slot, in shared.h.
 */
#ifndef PB_X86_64_ARCH_BULK_H
#define PB_X86_64_ARCH_BULK_H

#include "arch/x86_64/insn.h"

#include <errno.h>

/* From the prefix to the end of what is changed of the site. */
#define PB_BULK_BEFORE (-PATCHBAY_SLOT_OFFSET)
#define PB_BULK_SITE PATCHBAY_X86_64_SITE_BRANCH_SIZE
#define PB_BULK_SITE_SIZE PATCHBAY_X86_64_SITE_SIZE

/*
 * Is the site that is @from_entry bytes behind @entry a disarmed one, with the usual
 * pad before the entry? Others are looked at by pb_arch_site_state().
 */
static inline int pb_bulk_is_disarmed(const uint8_t *entry, int64_t from_entry)
{
	static const uint8_t ret[3] = { PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET,
					PATCHBAY_X86_64_RET };

	return !memcmp(entry + PATCHBAY_PAD_OFFSET, ret, sizeof(ret)) &&
	       pb_x86_64_site(entry + from_entry, from_entry,
			      PATCHBAY_PAD_OFFSET) ==
		       PATCHBAY_X86_64_SITE_DISARMED;
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

/* Let the disarmed site that is @at lead from @site to @reach. */
static inline int pb_bulk_publish(uint8_t *at, uint64_t site, uint64_t reach)
{
	int32_t rel;

	if (at[0] != PATCHBAY_X86_64_SITE_DISARMED ||
	    !pb_x86_64_rel32(site, reach, &rel))
		return -EILSEQ;
	memcpy(at + 1, &rel, sizeof(rel));
	return 0;
}

/* Arm or disarm the site that is @at. It must not be so already. */
static inline int pb_bulk_flip(uint8_t *at, int arm)
{
	if (at[0] != (arm ? PATCHBAY_X86_64_SITE_DISARMED :
			    PATCHBAY_X86_64_SITE_CALL))
		return -EILSEQ;
	at[0] = arm ? PATCHBAY_X86_64_SITE_CALL : PATCHBAY_X86_64_SITE_DISARMED;
	return 0;
}

/* Does the site that is @at lead from @site to @reach already, if it is armed? */
static inline int pb_bulk_leads(const uint8_t *at, uint64_t site, uint64_t reach)
{
	int32_t rel, now;

	memcpy(&now, at + 1, sizeof(now));
	return pb_x86_64_rel32(site, reach, &rel) && rel == now;
}

#endif /* PB_X86_64_ARCH_BULK_H */
