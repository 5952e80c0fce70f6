/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The AArch64 code of static calls: tramps. Pure functions of words: compiled
 * and tested on every host.
 */
#pragma once

#include "insn.h"

#define PB_AARCH64_TRAMP_WORDS (PATCHBAY_AARCH64_TRAMP_SIZE / 4)

/*
 * The address that `adrp x16, A; ldr x16, [x16, #lo12]` at @addr loads from.
 *
 *	adrp  1 immlo:2 10000 immhi:19 Rd:5   offset in pages, from @addr's page
 *	ldr   1111100101 imm12 Rn:5 Rt:5      offset in units of 8 bytes
 */
static inline bool pb_aarch64_load(const uint32_t code[2], uint64_t addr,
				   uint64_t *from)
{
	uint64_t pages = (code[0] >> 5 & 0x7ffff) << 2 | (code[0] >> 29 & 3);

	if ((code[0] & 0x9f00001f) != 0x90000010 || /* adrp x16, .. */
	    (code[1] & 0xffc003ff) != 0xf9400210)   /* ldr x16, [x16, ..] */
		return false;
	if (pages & 1 << 20)
		pages -= 1 << 21;
	*from = (addr & ~UINT64_C(0xfff)) + (pages << 12) +
		(code[1] >> 10 & 0xfff) * 8;
	return true;
}

/*
 * Does the tramp at @addr with the words @code jump through @key? If @imported, @key is
 * the address of a pointer to the key. See abi.h for the code.
 */
static inline bool
pb_aarch64_tramp(const uint32_t code[PB_AARCH64_TRAMP_WORDS], uint64_t addr,
		 uint64_t key, bool imported)
{
	/* The words after the load of x16. */
	static const uint32_t tail[2][4] = {
		{ 0xd61f0200 /* br x16 */, 0xd4200000 /* brk #0 */,
		  0xaa1f03e0 /* mov x0, xzr */, PB_AARCH64_RET },
		{ 0xf9400210 /* ldr x16, [x16] */, 0xd61f0200 /* br x16 */,
		  0xaa1f03e0 /* mov x0, xzr */, PB_AARCH64_RET },
	};
	uint64_t from;

	if (code[0] != PATCHBAY_AARCH64_BTI_C)
		return false;
	if (code[1] != PB_AARCH64_NOP &&
	    (code[1] & 0xfc000000) != PATCHBAY_AARCH64_SITE_B)
		return false;
	for (int i = 0; i < 4; i++)
		if (code[4 + i] != tail[imported][i])
			return false;
	return pb_aarch64_load(code + 2,
			       addr + PATCHBAY_AARCH64_TRAMP_INDIRECT_OFFSET,
			       &from) &&
	       from == key;
}
