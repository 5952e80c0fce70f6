/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AArch64: encoding and recognition of static calls' code, compared with tables. */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 65{{$}}

#include "arch/aarch64/tramp.h"

#include "table.h"

#include <string.h>

/* At 0x10ff8, so that the adrp is in the next page; both load from 0x12008. */
static const uint32_t local[PB_AARCH64_TRAMP_WORDS] = {
	0xd503245f, /* bti c */
	0x14000001, /* b .+4 */
	0xb0000010, /* adrp x16, .+0x1000 */
	0xf9400610, /* ldr x16, [x16, #8] */
	0xd61f0200, /* br x16 */
	0xd4200000, /* brk #0 */
	0xaa1f03e0, /* mov x0, xzr */
	0xd65f03c0, /* ret */
};
static const uint32_t imported[PB_AARCH64_TRAMP_WORDS] = {
	0xd503245f, /* bti c */
	0xd503201f, /* nop */
	0xb0000010, /* adrp x16, .+0x1000 */
	0xf9400610, /* ldr x16, [x16, #8] */
	0xf9400210, /* ldr x16, [x16] */
	0xd61f0200, /* br x16 */
	0xaa1f03e0, /* mov x0, xzr */
	0xd65f03c0, /* ret */
};

static void branches(void)
{
	static const struct {
		uint64_t from, to;
		uint32_t word; /* displacement of a B, 0 if it is out of reach */
	} table[] = {
		{ 0x1000, 0x1000, 0x14000000 },
		{ 0x1000, 0x1004, 0x14000001 },
		{ 0x1000, 0xffc, 0x17ffffff },
		{ 0x1000, 0x8000ffc, 0x15ffffff },
		{ 0x1000, 0x8001000, 0 },
		{ 0x8001000, 0x1000, 0x16000000 },
		{ 0x8001000, 0xffc, 0 },
		{ 0x1000, 0x1002, 0 },
		{ 0x1000, 0xffff000000001000, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		uint32_t word = 0x14000000, call = 0x94000123;
		bool fits = pb_aarch64_retarget(&word, table[i].from,
						table[i].to);

		CHECK_ROW(i, fits == !!table[i].word);
		if (!fits) {
			CHECK_ROW(i, word == 0x14000000);
			continue;
		}
		CHECK_ROW(i, word == table[i].word);
		CHECK_ROW(i, pb_aarch64_branch_target(word, table[i].from) ==
				     table[i].to);
		/* A call is encoded as a call again. */
		pb_aarch64_retarget(&call, table[i].from, table[i].to);
		CHECK_ROW(i, call == (table[i].word | 0x80000000));
	}
	CHECK(pb_aarch64_is_branch(0x14000001));
	CHECK(pb_aarch64_is_branch(0x97ffffff));
	CHECK(!pb_aarch64_is_branch(0xd503201f)); /* nop */
	CHECK(!pb_aarch64_is_branch(0xd4200000)); /* brk */
	CHECK(!pb_aarch64_is_branch(0x54000020)); /* b.eq */
}

static void loads(void)
{
	static const struct {
		uint32_t code[2];
		bool is;
		uint64_t from; /* at 0x80001ffc */
	} table[] = {
		{ { 0x90000010, 0xf9400210 }, true, 0x80001000 },
		{ { 0xb0000010, 0xf9400210 }, true, 0x80002000 },
		/* the limits of the reach: adrp x16, 0xfffff000; .., #0x7ff8 */
		{ { 0xf07ffff0, 0xf97ffe10 }, true, 0x180007ff8 },
		{ { 0xf0fffff0, 0xf9400210 }, true, 0x80000000 },
		{ { 0x90800010, 0xf9400210 }, true, 0xffffffff80001000 },
		/* adr, another register, ldr w16, a post-indexed load */
		{ { 0x10000010, 0xf9400210 }, false, 0 },
		{ { 0x90000011, 0xf9400210 }, false, 0 },
		{ { 0x90000010, 0xb9400210 }, false, 0 },
		{ { 0x90000010, 0xf9400230 }, false, 0 },
		{ { 0x90000010, 0xf8400610 }, false, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		uint64_t from;
		bool is = pb_aarch64_load(table[i].code, 0x80001ffc, &from);

		CHECK_ROW(i, is == table[i].is && (!is || from == table[i].from));
	}
}

static void tramps(void)
{
	CHECK(pb_aarch64_tramp(local, 0x10ff8, 0x12008, false));
	CHECK(pb_aarch64_tramp(imported, 0x10ff8, 0x12008, true));
	CHECK(!pb_aarch64_tramp(local, 0x10ff8, 0x12008, true));
	CHECK(!pb_aarch64_tramp(imported, 0x10ff8, 0x12008, false));
	/* another key, and a tramp in the page before */
	CHECK(!pb_aarch64_tramp(local, 0x10ff8, 0x12010, false));
	CHECK(!pb_aarch64_tramp(local, 0x10ff0, 0x12008, false));
	/* every word is checked; the second is a branch or nop */
	for (int i = 0; i < PB_AARCH64_TRAMP_WORDS; i++) {
		uint32_t code[PB_AARCH64_TRAMP_WORDS];

		memcpy(code, local, sizeof(code));
		code[i] ^= 0x80000000; /* of b: bl */
		CHECK_ROW(i, !pb_aarch64_tramp(code, 0x10ff8, 0x12008, false));
		memcpy(code, imported, sizeof(code));
		code[i] ^= 0x20; /* of nop: yield */
		CHECK_ROW(i, !pb_aarch64_tramp(code, 0x10ff8, 0x12008, true));
	}
}

int main(void)
{
	branches();
	loads();
	tramps();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
