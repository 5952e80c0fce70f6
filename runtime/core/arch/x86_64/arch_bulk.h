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

/*
 * Is the site that is @from_entry bytes behind @entry a disarmed one that leads to
 * @stub, with the usual pad before the entry? Others are looked at by
 * pb_arch_site_state().
 */
static inline int pb_bulk_is_disarmed(const uint8_t *entry, int64_t from_entry,
				      const void *stub)
{
	static const uint8_t ret[3] = { PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET,
					PATCHBAY_X86_64_RET };
	const uint8_t *site = entry + from_entry;

	return !memcmp(entry + PATCHBAY_PAD_OFFSET, ret, sizeof(ret)) &&
	       pb_x86_64_site(site, from_entry, PATCHBAY_PAD_OFFSET) ==
		       PATCHBAY_X86_64_SITE_DISARMED &&
	       pb_x86_64_leads(site, (uint64_t)site, (uint64_t)stub);
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
