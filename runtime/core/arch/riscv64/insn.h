/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * riscv64 instructions that the core reads and writes. Pure functions of words:
 * compiled and tested on every host.
 */
#pragma once

#include "arch/words.h"

#define PB_RISCV64_NOP PATCHBAY_RISCV64_SITE_NOP
#define PB_RISCV64_RET 0x00008067

/*
 * auipc and the instruction that uses its result together have 32 bits of offset:
 *
 *	auipc   imm[31:12]  rd opcode      rd = pc + (imm << 12)
 *	jalr    imm[11:0]   rs1 funct3 rd opcode
 *	ld      imm[11:0]   rs1 funct3 rd opcode
 *
 * The lower 12 bits are signed, so the upper 20 bits are rounded, and the reach is 2 KiB less
 * upwards than downwards.
 */
static inline bool pb_riscv64_split(int64_t offset, uint32_t *hi20,
				    uint32_t *lo12)
{
	const int64_t rounded = offset + 0x800;

	if (rounded < INT32_MIN || rounded > INT32_MAX)
		return false;
	*hi20 = (uint32_t)rounded & 0xfffff000;
	*lo12 = ((uint32_t)offset & 0xfff) << 20;
	return true;
}

/*
 * Encode the two words of an armed site at @site that calls @to. Returns false if @to is
 * too far.
 */
static inline bool pb_riscv64_call(uint32_t words[2], uint64_t site,
				   uint64_t to)
{
	uint32_t hi20, lo12;

	if (!pb_riscv64_split((int64_t)(to - site), &hi20, &lo12))
		return false;
	words[0] = PATCHBAY_RISCV64_SITE_AUIPC | hi20;
	words[1] = PATCHBAY_RISCV64_SITE_JALR | lo12;
	return true;
}

/*
 * Returns the two words of the site @from_entry bytes after @entry. Returns NULL if a site of
 * that function cannot be there.
 */
static inline const uint32_t *pb_riscv64_site(const uint32_t *entry,
					      int64_t from_entry)
{
	/* lpad, with any label */
	if (from_entry == PATCHBAY_RISCV64_LPAD_SIZE &&
	    (*entry & 0xfff) == PATCHBAY_RISCV64_LPAD)
		return entry + PATCHBAY_RISCV64_LPAD_SIZE / 4;
	return from_entry ? (const uint32_t *)0 : entry;
}

/*
 * The stubs that armed sites call, one for each trampoline, mapped near the sites. The
 * trampolines' addresses follow the last stub:
 *
 *	+0   auipc t1, 0
 *	+4   ld    t1, ..(t1)
 *	+8   jr    t1
 *	+12  unimp
 *
 * t1 is dead at a function's entry. The trampolines begin with lpad, because jumps by t1 need
 * an lpad. Jumps by t2 need none, but t2 may be a static chain.
 */
#define PB_RISCV64_STUBS 6
#define PB_RISCV64_STUB_SIZE 16
#define PB_RISCV64_STUB_ADDRESSES (PB_RISCV64_STUBS * PB_RISCV64_STUB_SIZE)
#define PB_RISCV64_STUBS_SIZE (PB_RISCV64_STUB_ADDRESSES + PB_RISCV64_STUBS * 8)

/* Stub @i jumps to @trampolines + @i * @size. */
static inline void
pb_riscv64_stubs(uint32_t code[PB_RISCV64_STUBS_SIZE / 4],
		 uint64_t trampolines, uint64_t size)
{
	for (uint32_t i = 0; i < PB_RISCV64_STUBS; i++) {
		uint32_t *stub = code + i * PB_RISCV64_STUB_SIZE / 4;
		uint32_t *at = code + (PB_RISCV64_STUB_ADDRESSES + i * 8) / 4;
		const uint64_t to = trampolines + i * size;

		stub[0] = 0x00000317; /* auipc t1, 0 */
		stub[1] = 0x00033303 | (uint32_t)((at - stub) * 4) << 20;
		stub[2] = 0x00030067; /* jr t1 */
		stub[3] = 0;
		at[0] = (uint32_t)to;
		at[1] = (uint32_t)(to >> 32);
	}
}

/*
 * Returns the number of the trampoline, and of its stub, for a function with @record. The order
 * is by number of argument registers, then by position of the site.
 */
static inline unsigned int
pb_riscv64_trampoline(const struct patchbay_record *record,
		      bool behind_landing_pad)
{
	return pb_record_trampoline(record) * 2 + behind_landing_pad;
}
