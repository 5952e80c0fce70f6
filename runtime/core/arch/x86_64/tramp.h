/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The x86-64 code of static calls: tramps, call sites, hashes of targets. Pure
 * functions of bytes: compiled and tested on every host.
 */
#pragma once

#include "insn.h"

static inline int32_t pb_x86_64_get32(const uint8_t *at)
{
	return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 |
			 (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

/* The target of the rip-relative displacement at @at in @code, which is at address @addr. */
static inline uint64_t pb_x86_64_rip(const uint8_t *code, uint64_t addr, int at)
{
	return addr + (uint64_t)(at + 4) +
	       (uint64_t)(int64_t)pb_x86_64_get32(code + at);
}

/*
 * Returns the first byte of the tramp at @addr with the bytes @code: PATCHBAY_X86_64_TRAMP_DIRECT
 * or _INDIRECT. Returns 0 if this is not a tramp that jumps through @key. @imported: @key is the
 * address of a pointer to the key. See abi.h for the code.
 */
static inline uint8_t pb_x86_64_tramp(
	const uint8_t code[PATCHBAY_X86_64_TRAMP_SIZE], uint64_t addr,
	uint64_t key, bool imported)
{
	static const uint8_t tail[] = { 0x31, 0xc0, 0xc3, 0xe3,
					0xfe, 0xcc, 0xcc, 0xcc };
	/* The bytes before and after the displacement of the jump. */
	static const uint8_t jump[] = { 0xff, 0x25 };
	static const uint8_t trap[] = { 0xcc, 0xcc, 0xcc, 0xcc, 0xcc };
	static const uint8_t load[] = { 0x4c, 0x8b, 0x1d };
	static const uint8_t load_jump[] = { 0x41, 0xff, 0x23, 0xcc };
	const int jmp = PATCHBAY_X86_64_TRAMP_JMP_OFFSET;
	const int at = jmp + (int)(imported ? sizeof(load) : sizeof(jump));

	if (code[0] != PATCHBAY_X86_64_TRAMP_DIRECT &&
	    code[0] != PATCHBAY_X86_64_TRAMP_INDIRECT)
		return 0;
	if (imported ? memcmp(code + jmp, load, sizeof(load)) ||
			       memcmp(code + at + 4, load_jump,
				      sizeof(load_jump)) :
		       memcmp(code + jmp, jump, sizeof(jump)) ||
			       memcmp(code + at + 4, trap, sizeof(trap)))
		return 0;
	if (memcmp(code + PATCHBAY_X86_64_TRAMP_RETURN0_OFFSET, tail,
		   sizeof(tail)))
		return 0;
	return pb_x86_64_rip(code, addr, at) == key ? code[0] : 0;
}

/*
 * Decode a branch to a tramp: call, jmp or jcc. Returns the offset of its displacement, or
 * 0 if @code is none of these.
 */
static inline int pb_x86_64_branch(const uint8_t code[6])
{
	if (code[0] == 0xe8 || code[0] == 0xe9)
		return 1;
	if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		return 2;
	return 0;
}

/* Are 4 bytes at @addr within an aligned word of 8? */
static inline bool pb_x86_64_in_word(uint64_t addr)
{
	return addr % 8 <= 4;
}

/*
 * Decode the kCFI hash in the 5 bytes before a function. Returns false if these bytes do not
 * move a hash to a register (-fsanitize-kcfi-arity varies the register).
 */
static inline bool pb_x86_64_hash(const uint8_t before[5], uint32_t *hash)
{
	*hash = (uint32_t)pb_x86_64_get32(before + 1);
	return (before[0] & ~PATCHBAY_X86_64_MOV_REGISTERS) ==
	       PATCHBAY_X86_64_MOV_EAX_IMM32;
}

/*
 * The hash of functions of @type. If a hash, or its negative, is the encoding of endbr64 or
 * endbr32, the compiler adds 1: otherwise the check of the hash would be a landing pad.
 */
static inline uint32_t pb_x86_64_type_hash(uint32_t type)
{
	const uint32_t endbr[] = { PATCHBAY_X86_64_ENDBR64, 0xfb1e0ff3 };

	for (int i = 0; i < 2; i++)
		if (type == endbr[i] || -type == endbr[i])
			return type + 1;
	return type;
}
