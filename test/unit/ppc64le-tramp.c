/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ppc64le: encoding and recognition of static calls' code, compared with tables. */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 176{{$}}

#include "arch/ppc64le/tramp.h"

#include "table.h"

#include <string.h>

/* At 0x10000 with TOC 0x30000; both parts load from 0x28008. */
static const uint32_t local[PB_PPC64_NOTOC_TRAMP_WORDS] = {
	0xf8410018,		/* +0  std r2,24(r1) */
	0x48000ffc,		/* +4  b .+0xffc */
	0x3d820000, 0xe98c8008, /* +8  addis r12,r2,0; ld r12,-0x7ff8(r12) */
	0x7d8903a6, 0x4e800420, /* +16 mtctr r12; bctr */
	0x7fe00008,		/* +24 trap */
	0x3c420000, 0x38420000, /* +28 addis r2,r2,0; addi r2,r2,0 */
	0x48000000,		/* +36 b . */
	0x38600000, 0x4e800020, /* +40 li r3,0; blr */
	0x60000000,		/* +48 nop */
	0x04100001, 0xe5807fd4, /* +52 pld r12,.+0x17fd4 */
	0x7d8903a6, 0x4e800420, /* +60 mtctr r12; bctr */
	0x7fe00008,		/* +68 trap */
	0x06100001, 0x3840ffb8, /* +72 paddi r2,0,.+0x1ffb8,1 */
	0x48000000,		/* +80 b . */
};

static void make_imported(uint32_t code[PB_PPC64_NOTOC_TRAMP_WORDS])
{
	static const uint32_t jump[] = {
		0xe98c0000, /* ld r12,0(r12) */
		0x7d8903a6, /* mtctr r12 */
		0x4e800420, /* bctr */
	};

	memcpy(code, local, sizeof(local));
	memcpy(code + 16 / 4, jump, sizeof(jump));
	memcpy(code + 60 / 4, jump, sizeof(jump));
}

static void branches(void)
{
	static const struct {
		uint64_t from, to;
		uint32_t word; /* 0: out of reach */
	} table[] = {
		{ 0x1000, 0x1000, 0x48000000 },
		{ 0x1000, 0x1004, 0x48000004 },
		{ 0x1000, 0xffc, 0x4bfffffc },
		{ 0x1000, 0x2000ffc, 0x49fffffc },
		{ 0x1000, 0x2001000, 0 },
		{ 0x2001000, 0x1000, 0x4a000000 },
		{ 0x2001000, 0xffc, 0 },
		{ 0x1000, 0x1002, 0 },
		{ 0x1000, 0xffff000000001000, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		uint32_t word = 0;

		CHECK_ROW(i, pb_ppc64_b(&word, table[i].from, table[i].to) ==
				     !!table[i].word);
		CHECK_ROW(i, word == table[i].word);
		CHECK_ROW(i, !word || pb_ppc64_is_b(word));
	}
	CHECK(!pb_ppc64_is_b(0x48000001)); /* bl */
	CHECK(!pb_ppc64_is_b(0x48000002)); /* ba */
	CHECK(!pb_ppc64_is_b(0x60000000)); /* nop */
	CHECK(!pb_ppc64_is_b(0x4e800420)); /* bctr */
}

static void near(void)
{
	static const struct {
		int64_t distance;
		uint32_t code[2]; /* 0: does not fit */
	} table[] = {
		{ 0x12345678, { 0x3c421234, 0x38425678 } },
		{ 0x12348000, { 0x3c421235, 0x38428000 } },
		{ -1, { 0x3c420000, 0x3842ffff } },
		{ -0x8001, { 0x3c42ffff, 0x38427fff } },
		{ 0x7fff7fff, { 0x3c427fff, 0x38427fff } },
		{ 0x7fff8000, { 0 } },
		{ -0x80008000ll, { 0x3c428000, 0x38428000 } },
		{ -0x80008001ll, { 0 } },
		{ 0x100000000, { 0 } },
	};
	static const uint32_t empty[] = { 0x3c420000, 0x38420000 };

	for (size_t i = 0; i < ROWS(table); i++) {
		uint32_t code[2];
		bool fits = pb_ppc64_near(code, table[i].distance);

		CHECK_ROW(i, fits == !!table[i].code[0]);
		if (!fits)
			continue;
		CHECK_ROW(i, !memcmp(code, table[i].code, sizeof(code)));
		CHECK_ROW(i, pb_ppc64_is_near(code) && pb_ppc64_is_filled(code));
		CHECK_ROW(i, pb_ppc64_hi_lo(code[0], code[1]) ==
				     table[i].distance);
	}
	CHECK(pb_ppc64_is_near(empty) && !pb_ppc64_is_filled(empty));
}

static void entries(void)
{
	static const struct {
		uint32_t code[2];
		enum pb_ppc64_entry entry;
		uint64_t toc; /* of a function at 0x10000000 */
	} table[] = {
		/* addis r2,r12,0x12; addi r2,r2,-0x8000 */
		{ { 0x3c4c0012, 0x38428000 }, PB_PPC64_TOC, 0x10118000 },
		{ { 0x3c4cffff, 0x38420010 }, PB_PPC64_TOC, 0xfff0010 },
		/* lis r2,0x1002; addi r2,r2,-0x7f00 */
		{ { 0x3c401002, 0x38428100 }, PB_PPC64_TOC, 0x10018100 },
		/* ld r2,-8(r12); add r2,r2,r12 */
		{ { 0xe84cfff8, 0x7c426214 }, PB_PPC64_LARGE_TOC, 0x10000000 },
		/* mflr r0; std r0,16(r1) */
		{ { 0x7c0802a6, 0xf8010010 }, PB_PPC64_NO_TOC, 0 },
		/* blr; a word of data */
		{ { 0x4e800020, 0 }, PB_PPC64_NO_TOC, 0 },
		/* a prefixed pld */
		{ { 0x04100001, 0xe5807fd4 }, PB_PPC64_NO_TOC, 0 },
		/* a linker's stub: addis r12,r12,1; ld r12,8(r12) */
		{ { 0x3d8c0001, 0xe98c0008 }, PB_PPC64_UNKNOWN, 0 },
		/* mflr r0; addis r2,r12,1 */
		{ { 0x7c0802a6, 0x3c4c0001 }, PB_PPC64_UNKNOWN, 0 },
		/* addis r2,r12,1; nop */
		{ { 0x3c4c0001, 0x60000000 }, PB_PPC64_UNKNOWN, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		uint64_t toc;

		CHECK_ROW(i, pb_ppc64_entry(table[i].code, 0x10000000, &toc) ==
				     table[i].entry);
		CHECK_ROW(i, !table[i].toc || toc == table[i].toc);
	}
}

static void prefixed(void)
{
	static const struct {
		uint32_t code[2];
		int64_t offset;
	} table[] = {
		/* pld r12,-2(0),1; paddi r2,0,-0x100000000,1; .., 0x1ffffffff,1 */
		{ { 0x0413ffff, 0xe580fffe }, -2 },
		{ { 0x06130000, 0x38400000 }, -0x100000000 },
		{ { 0x0611ffff, 0x3840ffff }, 0x1ffffffff },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_ppc64_pcrel(table[i].code) == table[i].offset);
}

static uint64_t first(const uint32_t *code, bool is_imported)
{
	return pb_ppc64_tramp_key(code, 0x30000, is_imported);
}

static uint64_t second(const uint32_t *code, bool is_imported)
{
	return pb_ppc64_notoc_key(code, 0x10000, 0x30000, is_imported);
}

static void tramps(void)
{
	uint32_t imported[PB_PPC64_NOTOC_TRAMP_WORDS];

	make_imported(imported);
	CHECK(first(local, false) == 0x28008);
	CHECK(first(imported, true) == 0x28008);
	CHECK(!first(local, true));
	CHECK(!first(imported, false));
	CHECK(second(local, false) == 0x28008);
	CHECK(second(imported, true) == 0x28008);
	CHECK(!second(local, true));
	CHECK(!second(imported, false));
	/* the other tramp sets up another TOC */
	CHECK(!pb_ppc64_notoc_key(local, 0x10000, 0x30008, false));
	CHECK(!pb_ppc64_notoc_key(local, 0x10008, 0x30000, false));

	/* Every word is checked, within its own part. */
	for (int i = 0; i < PB_PPC64_NOTOC_TRAMP_WORDS; i++) {
		const bool in_first = i < PB_PPC64_TRAMP_WORDS;
		uint32_t code[PB_PPC64_NOTOC_TRAMP_WORDS];

		memcpy(code, local, sizeof(code));
		code[i] ^= 0x80000000;
		CHECK_ROW(i, !first(code, false) == in_first);
		CHECK_ROW(i, !second(code, false) == !in_first);
		memcpy(code, imported, sizeof(code));
		code[i] ^= 0x80000000;
		CHECK_ROW(i, !first(code, true) == in_first);
		CHECK_ROW(i, !second(code, true) == !in_first);
	}
}

int main(void)
{
	branches();
	near();
	entries();
	prefixed();
	tramps();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
