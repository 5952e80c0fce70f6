/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * x86-64 instructions that the core reads and writes. Pure functions of bytes:
 * compiled and tested on every host.
 */
#pragma once

#include <patchbay/abi.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PB_X86_64_REL32_SIZE 5

/*
 * Set @rel to the displacement of a 5-byte branch (e8, e9) at @from to @to. Returns false if
 * the displacement does not fit.
 */
static inline bool pb_x86_64_rel32(uint64_t from, uint64_t to, int32_t *rel)
{
	int64_t distance = (int64_t)(to - (from + PB_X86_64_REL32_SIZE));

	*rel = (int32_t)distance;
	return *rel == distance;
}

static inline void pb_x86_64_put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/*
 * Returns the offset from @entry to the pad, which proves that a slot is before @entry. Returns
 * 0 if there is no pad. The pad is three or four `ret`, or three `ret` and the opcode of the
 * kCFI hash. Before the words of -fsanitize=function it is eight `ret`, before the slot.
 */
static inline int pb_x86_64_pad(const uint8_t *entry)
{
	static const uint8_t ret[8] = { PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET,
					PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET,
					PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET,
					PATCHBAY_X86_64_RET, PATCHBAY_X86_64_RET };
	uint8_t magic[4];

	if (!memcmp(entry + PATCHBAY_PAD_OFFSET, ret, 3))
		return PATCHBAY_PAD_OFFSET;
	pb_x86_64_put32(magic, PATCHBAY_FUNCTION_SANITIZER_MAGIC);
	if (!memcmp(entry + PATCHBAY_PAD_OFFSET, magic, sizeof(magic)) &&
	    !memcmp(entry + PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET, ret,
		    sizeof(ret)))
		return PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET;
	return 0;
}

/*
 * The state of a site, from its bytes and its distance from the entry:
 *
 *	a9|e8|e9 imm32  72 rel8     rel8 jumps to the first `ret` of the pad
 *
 * Returns the first byte, or 0 if the bytes are no site of this function.
 */
static inline uint8_t pb_x86_64_site(const uint8_t *site, int64_t from_entry,
				     int pad)
{
	/* The distance from the end of the `jb` back to the pad. */
	int64_t back = pad - (from_entry + PATCHBAY_X86_64_SITE_SIZE);

	if (from_entry != 0 && from_entry != PATCHBAY_X86_64_ENDBR64_SIZE)
		return 0;
	if (site[0] != PATCHBAY_X86_64_SITE_DISARMED &&
	    site[0] != PATCHBAY_X86_64_SITE_CALL &&
	    site[0] != PATCHBAY_X86_64_SITE_JMP)
		return 0;
	if (site[5] != PATCHBAY_X86_64_SITE_JB || (int8_t)site[6] != back)
		return 0;
	return site[0];
}

/* Does the site at @site call @stub when it is armed? @at: the site's bytes, or a copy. */
static inline bool pb_x86_64_leads(const uint8_t *at, uint64_t site,
				   uint64_t stub)
{
	int32_t rel, now;

	memcpy(&now, at + 1, sizeof(now));
	return pb_x86_64_rel32(site, stub, &rel) && rel == now;
}
