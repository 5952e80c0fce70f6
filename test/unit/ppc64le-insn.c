/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ppc64le: encoding and recognition of the code around an entry, and the targets of
 * armed sites, compared with tables. Branches and the code that sets up the TOC pointer
 * are in ppc64le-tramp.c.
 */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 46{{$}}

#include "arch/ppc64le/insn.h"

#include "table.h"

#define BLR 0x4e800020
#define NOP 0x60000000
#define ADDIS 0x3c4c0002 /* addis r2,r12,2 */
#define LIS 0x3c401003   /* lis r2,0x1003: linked to a fixed address */
#define ADDI 0x38428000  /* addi r2,r2,-32768 */

static void sites(void)
{
	static const struct {
		uint32_t words[4];
		int64_t from_entry;
		uint32_t state;
	} table[] = {
		/* sites of both states, in functions with one entry and with two */
		{ { NOP }, 0, NOP },
		{ { 0x48000100 }, 0, 0x48000100 },
		{ { 0x4bfffffc }, 0, 0x4bfffffc },
		{ { ADDIS, ADDI, NOP }, 8, NOP },
		{ { ADDIS, ADDI, 0x4bffff00 }, 8, 0x4bffff00 },
		{ { LIS, ADDI, NOP }, 8, NOP },
		/* a site at an invalid address */
		{ { ADDIS, ADDI, NOP }, 0, 0 },
		{ { ADDIS, ADDI, NOP }, 4, 0 },
		{ { NOP, NOP, NOP }, 8, 0 },
		{ { ADDIS, NOP, NOP }, 8, 0 },
		{ { 0xe84cfff8, 0x7c426214, NOP }, 8, 0 }, /* -mcmodel=large */
		{ { ADDIS, ADDI, NOP, NOP }, 12, 0 },
		{ { NOP, NOP }, -4, 0 },
		/* a trap, another hint, bl, ba, bc, bctr */
		{ { 0x7fe00008 }, 0, 0 },
		{ { 0x60420000 }, 0, 0 },
		{ { 0x48000101 }, 0, 0 },
		{ { 0x48000102 }, 0, 0 },
		{ { 0x41820100 }, 0, 0 },
		{ { 0x4e800420 }, 0, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_ppc64_site(table[i].words,
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
		{ { 0, 0, 0, 0, BLR, BLR }, true },
		{ { 0, 0, 0, 0, BLR, 0x12345678 }, true }, /* kCFI */
		{ { 0, 0, 0, 0, NOP, BLR }, false },
		{ { 0, 0, 0, 0, 0, 0x12345678 }, false },
		{ { BLR, BLR, 0, 0, 0, BLR }, false },
		/* -fsanitize=function with and without a slot */
		{ { BLR, BLR, 0, 0, 0xc105cafe, 0x12345678 }, true },
		{ { BLR, NOP, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { NOP, BLR, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { BLR, BLR, 0, 0, 0xc105caff, 0x12345678 }, false },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_words_have_slot(table[i].before + 6, PB_PPC64_BLR) ==
				     table[i].is);
}

/* XFX-form: opcode 31, a register, a special register with swapped halves. */
static uint32_t spr(unsigned int reg, unsigned int spr, unsigned int function)
{
	return 31u << 26 | reg << 21 | (spr & 31) << 16 | function << 1;
}

static void sequence(void)
{
	static const struct {
		uint64_t at, veneer, site;
		uint32_t bl, b; /* 0: too far */
	} table[] = {
		{ 0x20020, 0x20000, 0x10008, 0x4bffffdd, 0x4bfeffdc },
		{ 0x10000, 0x10020, 0x20000, 0x4800001d, 0x4800fff4 },
		/* the limits of the reach */
		{ 0x2000000, 0x2000000, 0xc, 0x4bfffffd, 0x4a000000 },
		{ 0x2000000, 0x2000000, 0x8, 0, 0 },
		{ 0x1000, 0x1000, 0x2001008, 0x4bfffffd, 0x49fffffc },
		{ 0x1000, 0x1000, 0x200100c, 0, 0 },
		{ 0x3000000, 0x1000000, 0x3000000, 0, 0 },
	};
	const unsigned int LR = 8, MFSPR = 339, MTSPR = 467;
	uint32_t code[PB_PPC64_SEQUENCE_WORDS];

	CHECK(sizeof(code) == 40);
	for (size_t i = 0; i < ROWS(table); i++) {
		bool fits = pb_ppc64_sequence(code, table[i].at,
					      table[i].veneer, table[i].site,
					      0x1122334455667788,
					      0x99aabbccddeeff00);

		CHECK_ROW(i, fits == !!table[i].b &&
				     (!fits || (code[1] == table[i].bl &&
						code[4] == table[i].b)));
	}
	CHECK(code[0] == spr(0, LR, MFSPR));
	CHECK(code[2] == spr(0, LR, MTSPR));
	CHECK(code[3] == (19u << 26 | 4 << 21 | 2 << 16 | 16 << 1)); /* bclr 4,2 */
	CHECK(pb_ppc64_sequence(code, 0, 0, 0, 0x1122334455667788,
				0x99aabbccddeeff00));
	CHECK(code[6] == 0x55667788 && code[7] == 0x11223344);
	CHECK(code[8] == 0xddeeff00 && code[9] == 0x99aabbcc);
}

static void veneer(void)
{
	const unsigned int LR = 8, CTR = 9, MFSPR = 339, MTSPR = 467;
	uint32_t code[PB_PPC64_VENEER_WORDS];

	pb_ppc64_veneer(code);
	CHECK(code[0] == spr(12, LR, MFSPR));
	/* ld r12,..(r12): loads +32, relative to where bl returns */
	CHECK(code[1] == (58u << 26 | 12 << 21 | 12 << 16 |
			  (32 - PB_PPC64_SEQUENCE_RETURN)));
	CHECK(code[2] == spr(12, CTR, MTSPR));
	CHECK(code[3] == (19u << 26 | 20 << 21 | 528 << 1)); /* bcctr 20,0 */
}

int main(void)
{
	sites();
	pads();
	sequence();
	veneer();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
