/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64: encoding and recognition of static calls' code, compared with tables. */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 84{{$}}

#include "arch/x86_64/tramp.h"

#include "table.h"

/* At 0x1000; the tramps load from 0x100b + 0x2000 and 0x100c + 0x2000. */
static const uint8_t local[PATCHBAY_X86_64_TRAMP_SIZE] = {
	0xe9, 0xfb, 0x0f, 0,	0,	       /* jmp 0x2000 */
	0xff, 0x25, 0,	  0x20, 0,    0,       /* jmp *0x300b */
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc,	       /* int3 */
	0x31, 0xc0, 0xc3,		       /* xor %eax,%eax; ret */
	0xe3, 0xfe, 0xcc, 0xcc, 0xcc,	       /* jrcxz . */
};
static const uint8_t imported[PATCHBAY_X86_64_TRAMP_SIZE] = {
	0xa9, 0,    0,	  0,	0,	       /* test $0,%eax */
	0x4c, 0x8b, 0x1d, 0,	0x20, 0, 0,    /* mov 0x300c,%r11 */
	0x41, 0xff, 0x23, 0xcc,		       /* jmp *(%r11); int3 */
	0x31, 0xc0, 0xc3,		       /* xor %eax,%eax; ret */
	0xe3, 0xfe, 0xcc, 0xcc, 0xcc,	       /* jrcxz . */
};

static void tramps(void)
{
	CHECK(pb_x86_64_tramp(local, 0x1000, 0x300b, false) == 0xe9);
	CHECK(pb_x86_64_tramp(imported, 0x1000, 0x300c, true) == 0xa9);
	CHECK(!pb_x86_64_tramp(local, 0x1000, 0x300b, true));
	CHECK(!pb_x86_64_tramp(imported, 0x1000, 0x300c, false));
	/* another key, and the same key from another address */
	CHECK(!pb_x86_64_tramp(local, 0x1000, 0x3023, false));
	CHECK(!pb_x86_64_tramp(local, 0x1018, 0x300b, false));
	CHECK(pb_x86_64_tramp(local, 0x1018, 0x3023, false) == 0xe9);
	/* every bit outside the direct jump's displacement is checked */
	for (int i = 0; i < PATCHBAY_X86_64_TRAMP_SIZE; i++) {
		const bool disp = i >= 1 && i < 5;
		uint8_t code[PATCHBAY_X86_64_TRAMP_SIZE];

		memcpy(code, local, sizeof(code));
		code[i] ^= 0x10;
		CHECK_ROW(i, !pb_x86_64_tramp(code, 0x1000, 0x300b, false) ==
				     !disp);
		memcpy(code, imported, sizeof(code));
		code[i] ^= 0x10;
		CHECK_ROW(i, !pb_x86_64_tramp(code, 0x1000, 0x300c, true) ==
				     !disp);
	}
}

static void branches(void)
{
	static const struct {
		uint8_t code[6];
		int displacement;
		uint64_t to; /* from 0x1000 */
	} table[] = {
		{ { 0xe8, 0xfb, 0x0f, 0, 0 }, 1, 0x2000 },
		{ { 0xe9, 0xfb, 0xff, 0xff, 0xff }, 1, 0x1000 },
		{ { 0x0f, 0x84, 0xfa, 0x0f, 0, 0 }, 2, 0x2000 }, /* je */
		{ { 0x0f, 0x8f, 0xfa, 0xef, 0xff, 0xff }, 2, 0 }, /* jg */
		{ { 0x0f, 0x1f, 0x44, 0, 0 }, 0, 0 }, /* nop */
		{ { 0xcc, 0xfb, 0x0f, 0, 0 }, 0, 0 }, /* a breakpoint */
		{ { 0xeb, 0, 0, 0, 0 }, 0, 0 }, /* jmp rel8 */
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		int at = pb_x86_64_branch(table[i].code);

		CHECK_ROW(i, at == table[i].displacement);
		if (at)
			CHECK_ROW(i, pb_x86_64_rip(table[i].code, 0x1000, at) ==
					     table[i].to);
	}
	for (uint64_t i = 0; i < 8; i++)
		CHECK_ROW(i, pb_x86_64_in_word(0x1000 + i) == (i <= 4));
}

static void hashes(void)
{
	static const struct {
		uint8_t before[5];
		bool is;
		uint32_t hash;
	} table[] = {
		{ { 0xb8, 0x12, 0x34, 0x56, 0x78 }, true, 0x78563412 },
		{ { 0xbf, 0xff, 0xff, 0xff, 0xff }, true, 0xffffffff },
		{ { 0xc3, 0x12, 0x34, 0x56, 0x78 }, false, 0 },
		{ { 0xb0, 0x12, 0x34, 0x56, 0x78 }, false, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		uint32_t hash;

		CHECK_ROW(i, pb_x86_64_hash(table[i].before, &hash) ==
				     table[i].is);
		if (table[i].is)
			CHECK_ROW(i, hash == table[i].hash);
	}
	CHECK(pb_x86_64_type_hash(0x12345678) == 0x12345678);
	CHECK(pb_x86_64_type_hash(0xfa1e0ff3) == 0xfa1e0ff4);
	CHECK(pb_x86_64_type_hash(0xfb1e0ff3) == 0xfb1e0ff4);
	CHECK(pb_x86_64_type_hash(-0xfa1e0ff3u) == -0xfa1e0ff3u + 1);
}

int main(void)
{
	tramps();
	branches();
	hashes();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
