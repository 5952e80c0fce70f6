/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The changes that bulk_text.c makes in a copy of a function's text. patch.c says why threads
 * may execute the site while the copy is written back. shared_cells.h says why threads may read
 * the slot.
 */
#pragma once

#include "arch/x86_64/insn.h"

#include <errno.h>

struct pb_module;

/* The range that changes: from the slot to the end of the site. */
#define PB_BULK_BEFORE (-PATCHBAY_SLOT_OFFSET)
#define PB_BULK_SITE 1
#define PB_BULK_SITE_SIZE PATCHBAY_X86_64_SITE_SIZE

/* The distance from the entry to the site: without a landing pad, and with one. */
#define PB_BULK_NEAR 0
#define PB_BULK_FAR PATCHBAY_X86_64_ENDBR64_SIZE

/*
 * Returns a value that is equal for all sites with @stub: the displacement in a site's branch,
 * plus the address of the site. Returns 0 if sites from @low to below @high cannot reach @stub.
 */
static inline uintptr_t pb_bulk_reach(uintptr_t stub, uintptr_t low, uintptr_t high)
{
	const uintptr_t from = stub - PATCHBAY_X86_64_SITE_BRANCH_SIZE;
	const int64_t most = (int64_t)(from - low), least = (int64_t)(from - high);

	return most == (int32_t)most && least == (int32_t)least ? from : 0;
}

/*
 * Is @site, @offset bytes after @entry, disarmed, and is the usual pad before the entry? @from
 * is the result of pb_bulk_reach(). If this returns 0, pb_arch_site_state() finds the state.
 * This combines pb_x86_64_site() and pb_x86_64_leads(), in fewer instructions.
 */
static inline int pb_bulk_is_disarmed(uintptr_t from, uintptr_t entry, uintptr_t site,
				      uintptr_t offset)
{
	const uint8_t *text = (const uint8_t *)site;
	const uintptr_t back = (uintptr_t)PATCHBAY_PAD_OFFSET - offset -
			       PATCHBAY_X86_64_SITE_SIZE;
	uint32_t number, pad;
	uint16_t jb;

	memcpy(&number, text + 1, sizeof(number));
	memcpy(&jb, text + PATCHBAY_X86_64_SITE_BRANCH_SIZE, sizeof(jb));
	memcpy(&pad, (const void *)(entry + (uintptr_t)PATCHBAY_PAD_OFFSET),
	       sizeof(pad));
	return number == (uint32_t)(from - site) &&
	       jb == (PATCHBAY_X86_64_SITE_JB | (back & 0xff) << 8) &&
	       text[0] == PATCHBAY_X86_64_SITE_DISARMED &&
	       (pad & 0xffffff) == PATCHBAY_X86_64_RET * 0x010101u;
}

/*
 * Store the value @slot at @at, in a copy of the slot. @led: threads may be reading the slot,
 * so only its second byte may change. Returns -EILSEQ if another byte differs.
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

/* Does any stub of the module jump to an open trampoline? If a site is armed, all stubs do. */
int pb_arch_is_open(const struct pb_module *module);

/* Arm or disarm the site at @at. Returns -EILSEQ if the site is not in the opposite state. */
static inline int pb_bulk_flip(uint8_t *at, int arm)
{
	if (at[0] != (arm ? PATCHBAY_X86_64_SITE_DISARMED :
			    PATCHBAY_X86_64_SITE_CALL))
		return -EILSEQ;
	at[0] = arm ? PATCHBAY_X86_64_SITE_CALL : PATCHBAY_X86_64_SITE_DISARMED;
	return 0;
}
