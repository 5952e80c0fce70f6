/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's x86-64 encoders and decoders give the results in these tables. */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 50{{$}}

#include "arch/x86_64/insn.h"

#include "Inputs/table.h"

/* Tests rel32 at the limits of its reach: one byte less, the limit, and one byte more. */
static void rel32(void)
{
	static const struct {
		uint64_t from, to;
		bool fits;
		int32_t rel;
	} table[] = {
		{ 0x1000, 0x1005, true, 0 },
		{ 0x1000, 0x1000, true, -5 },
		{ 0x1000, 0x1006, true, 1 },
		{ 0, 0x80000003, true, 0x7ffffffe },
		{ 0, 0x80000004, true, 0x7fffffff },
		{ 0, 0x80000005, false, 0 },
		{ 0x100000000, 0x80000006, true, -0x7fffffff },
		{ 0x100000000, 0x80000005, true, -0x7fffffff - 1 },
		{ 0x100000000, 0x80000004, false, 0 },
		{ 0x7fffffffffff, 0x1000, false, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int32_t rel;
		bool fits = pb_x86_64_rel32(table[i].from, table[i].to, &rel);

		CHECK(fits == table[i].fits && (!fits || rel == table[i].rel));
	}
}

static void sites(void)
{
	static const struct {
		uint8_t bytes[7];
		int64_t from_entry;
		int pad;
		uint8_t state;
	} table[] = {
		/* the three kinds, with and without endbr64 */
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf1 }, 0, -8, 0xa9 },
		{ { 0xe8, 1, 2, 3, 4, 0x72, 0xf1 }, 0, -8, 0xe8 },
		{ { 0xe9, 1, 2, 3, 4, 0x72, 0xf1 }, 0, -8, 0xe9 },
		{ { 0xa9, 0xff, 0xff, 0xff, 0xff, 0x72, 0xed }, 4, -8, 0xa9 },
		/* a displacement that does not reach the pad */
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf0 }, 0, -8, 0 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf2 }, 0, -8, 0 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xed }, 0, -8, 0 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf1 }, 4, -8, 0 },
		/* a foreign breakpoint, nop, jae */
		{ { 0xcc, 0, 0, 0, 0, 0x72, 0xf1 }, 0, -8, 0 },
		{ { 0x90, 0, 0, 0, 0, 0x72, 0xf1 }, 0, -8, 0 },
		{ { 0xa9, 0, 0, 0, 0, 0x73, 0xf1 }, 0, -8, 0 },
		/* a site at an invalid address */
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf0 }, 1, -8, 0 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf5 }, -4, -8, 0 },
		/* with -fsanitize=function */
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xe1 }, 0, -24, 0xa9 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xdd }, 4, -24, 0xa9 },
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf1 }, 0, -24, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK(pb_x86_64_site(table[i].bytes, table[i].from_entry,
				     table[i].pad) ==
		      table[i].state);
}

static void pads(void)
{
	/* All bytes from entry - 24 to the entry. */
	static const struct {
		uint8_t before[24];
		int pad;
	} table[] = {
		{ { [16] = 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3 }, -8 },
		{ { [16] = 0xc3, 0xc3, 0xc3, 0xb8, 1, 2, 3, 4 }, -8 },
		/* the bytes of stock kCFI, each with one wrong byte */
		{ { [16] = 0x90, 0x90, 0x90, 0xb8, 1, 2, 3, 4 }, 0 },
		{ { [16] = 0x90, 0xc3, 0xc3, 0xb8, 1, 2, 3, 4 }, 0 },
		{ { [16] = 0xc3, 0x90, 0xc3, 0xb8, 1, 2, 3, 4 }, 0 },
		{ { [16] = 0xc3, 0xc3, 0x90, 0xb8, 1, 2, 3, 4 }, 0 },
		/* -fsanitize=function with and without a slot */
		{ { 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3,
		    [16] = 0xfe, 0xca, 0x05, 0xc1, 1, 2, 3, 4 }, -24 },
		{ { 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0x90,
		    [16] = 0xfe, 0xca, 0x05, 0xc1, 1, 2, 3, 4 }, 0 },
		{ { 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3,
		    [16] = 0xfe, 0xca, 0x05, 0xc2, 1, 2, 3, 4 }, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK(pb_x86_64_pad(table[i].before + 24) == table[i].pad);
}

static void words(void)
{
	uint8_t word[4];

	pb_x86_64_put32(word, 0x80000001);
	CHECK(word[0] == 1 && word[3] == 0x80);
}

/* Tests which stub a site leads to, armed or not. */
static void leads(void)
{
	static const struct {
		uint8_t bytes[7];
		uint64_t site, stub;
		bool leads;
	} table[] = {
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf1 }, 0x1000, 0x1005, true },
		{ { 0xe8, 0xfb, 0xff, 0xff, 0xff, 0x72, 0xf1 }, 0x1000, 0x1000, true },
		{ { 0xa9, 1, 0, 0, 0, 0x72, 0xf1 }, 0x1000, 0x1005, false },
		{ { 0xa9, 0, 0, 0, 1, 0x72, 0xf1 }, 0x1000, 0x1005, false },
		/* out of reach, though the low half is right */
		{ { 0xa9, 0, 0, 0, 0, 0x72, 0xf1 }, 0x1000, 0x100001005, false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK(pb_x86_64_leads(table[i].bytes, table[i].site,
				      table[i].stub) == table[i].leads);
}

/* Tests the number of the stub, which depends on the record and the site's offset. */
static void stubs(void)
{
	static const struct {
		struct patchbay_record record;
		int behind_endbr64;
		unsigned int stub;
	} table[] = {
		{ { .gp_args = 0 }, 0, 0 },
		{ { .gp_args = 2, .fp_args = 8, .stack_arg_words = 9 }, 1, 1 },
		{ { .gp_args = 3 }, 0, 2 },
		{ { .gp_args = 4 }, 4, 3 },
		{ { .gp_args = 5 }, 0, 4 },
		{ { .gp_args = 255 }, 1, 5 },
		{ { .flags = PATCHBAY_RECORD_VARIADIC }, 0, 4 },
		{ { .flags = PATCHBAY_RECORD_UNKNOWN_ARGS }, 1, 5 },
		{ { .flags = (uint8_t)~(PATCHBAY_RECORD_VARIADIC |
					PATCHBAY_RECORD_UNKNOWN_ARGS) }, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK(patchbay_x86_64_stub(&table[i].record,
					   table[i].behind_endbr64) ==
		      table[i].stub);
}

int main(void)
{
	rel32();
	sites();
	pads();
	words();
	leads();
	stubs();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
