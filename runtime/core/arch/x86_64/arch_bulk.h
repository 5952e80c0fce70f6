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
 * Is the site that is @from_entry bytes behind @entry a disarmed one that leads to
 * @stub, with the usual pad before the entry? Others are looked at by
 * pb_arch_site_state(). It is pb_x86_64_site() and pb_x86_64_leads() by one load of the
 * site, whose last byte is the body's first one.
 */
static inline int pb_bulk_is_disarmed(uintptr_t entry, uintptr_t from_entry,
				      uintptr_t stub)
{
	const uintptr_t site = entry + from_entry;
	const int64_t rel =
		(int64_t)(stub - site - PATCHBAY_X86_64_SITE_BRANCH_SIZE);
	const uint64_t back = (uint64_t)PATCHBAY_PAD_OFFSET - from_entry -
			      PATCHBAY_X86_64_SITE_SIZE;
	const uint64_t expected = PATCHBAY_X86_64_SITE_DISARMED |
				  (uint64_t)(uint32_t)rel << 8 |
				  (uint64_t)PATCHBAY_X86_64_SITE_JB << 40 |
				  back << 48;
	uint64_t now;
	uint32_t pad;

	memcpy(&now, (const void *)site, sizeof(now));
	memcpy(&pad, (const void *)(entry + (uintptr_t)PATCHBAY_PAD_OFFSET),
	       sizeof(pad));
	return !((now ^ expected) << 8) && rel == (int32_t)rel &&
	       !((pad ^ PATCHBAY_X86_64_RET * 0x010101u) << 8) &&
	       !(from_entry & ~(uintptr_t)PATCHBAY_X86_64_ENDBR64_SIZE);
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
