/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * AArch64: encoding and recognition of the code around an entry, compared with tables.
 * Branches are in aarch64-tramp.c.
 */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 39{{$}}

#include "arch/aarch64/insn.h"

#include "table.h"

#define RET 0xd65f03c0
#define NOP 0xd503201f
#define MOV 0xaa1e03e9 /* mov x9, x30 */
#define BTI_C 0xd503245f
#define BTI_J 0xd503249f
#define BTI_JC 0xd50324df
#define PACIASP 0xd503233f

static void sites(void)
{
	static const struct {
		uint32_t words[3];
		int64_t from_entry;
		uint32_t state;
	} table[] = {
		/* nop, bl and b at the entry; nop and bl after a landing pad */
		{ { MOV, NOP }, 0, NOP },
		{ { MOV, 0x97ffffff }, 0, 0x97ffffff },
		{ { MOV, 0x14000123 }, 0, 0x14000123 },
		{ { BTI_C, MOV, NOP }, 4, NOP },
		{ { BTI_C, MOV, 0x94000123 }, 4, 0x94000123 },
		{ { BTI_JC, MOV, NOP }, 4, NOP },
		/* a site at an invalid address */
		{ { BTI_C, MOV, NOP }, 0, 0 },
		{ { MOV, MOV, NOP }, 4, 0 },
		{ { PACIASP, MOV, NOP }, 4, 0 },
		{ { BTI_J, MOV, NOP }, 4, 0 },
		{ { BTI_C, MOV, NOP }, 8, 0 },
		{ { MOV, NOP }, -4, 0 },
		/* another register, a breakpoint, another hint, b.eq, blr x16 */
		{ { 0xaa1e03ea, NOP }, 0, 0 },
		{ { 0xaa1d03e9, NOP }, 0, 0 },
		{ { 0xd4200000, NOP }, 0, 0 },
		{ { MOV, 0xd4200000 }, 0, 0 },
		{ { MOV, 0xd503203f }, 0, 0 },
		{ { MOV, 0x54000020 }, 0, 0 },
		{ { MOV, 0xd63f0200 }, 0, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_aarch64_site(table[i].words,
					     table[i].from_entry) ==
				     table[i].state);
}

static void pads(void)
{
	/* All words from entry - 24 to the entry. */
	static const struct {
		uint32_t before[6];
		bool is;
	} table[] = {
		{ { 0, 0, 0, 0, RET, RET }, true },
		{ { 0, 0, 0, 0, RET, 0x12345678 }, true }, /* kCFI */
		{ { 0, 0, 0, 0, NOP, RET }, false },
		{ { 0, 0, 0, 0, 0, 0x12345678 }, false },
		{ { RET, RET, 0, 0, 0, RET }, false },
		/* -fsanitize=function with and without a slot */
		{ { RET, RET, 0, 0, 0xc105cafe, 0x12345678 }, true },
		{ { RET, NOP, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { NOP, RET, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { RET, RET, 0, 0, 0xc105caff, 0x12345678 }, false },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_words_have_slot(table[i].before + 6, PB_AARCH64_RET) ==
				     table[i].is);
}

static void sequence(void)
{
	const uint64_t at = 0x40000000, site = at + 0x1000;
	uint32_t code[PB_AARCH64_SEQUENCE_WORDS];

	CHECK(pb_aarch64_sequence(code, at, site, 0x1122334455667780,
				  0x99aabbccddeeff00));
	/* ldr literal: opc 01, imm19 in words, x16 */
	CHECK(code[0] == (0x58000000 | 6 << 5 | 16));
	CHECK(code[1] == (0xd63f0000 | 16 << 5));
	/* cbnz: sf 1, imm19 in words, x11 */
	CHECK(code[2] == (0xb5000000 | 3 << 5 | 11));
	CHECK(code[3] == RET && code[4] == BTI_C);
	CHECK(code[5] == (0x14000000 | (0x1000 + 8 - 20) / 4));
	CHECK(code[6] == 0xddeeff00 && code[7] == 0x99aabbcc);
	CHECK(code[8] == 0x55667788 && code[9] == 0x11223344);
	CHECK(sizeof(code) == PB_AARCH64_SEQUENCE_SIZE);
	/* The last site in reach, and the first one out of reach. */
	CHECK(pb_aarch64_sequence(code, at, at + 20 + 0x7fffffc - 8, 0, 0));
	CHECK(!pb_aarch64_sequence(code, at, at + 20 + 0x8000000 - 8, 0, 0));
}

int main(void)
{
	sites();
	pads();
	sequence();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
