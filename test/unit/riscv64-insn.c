/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* riscv64: encoding and recognition of entries' code, compared with tables. */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of {{[1-9][0-9]+}}{{$}}

#include "arch/riscv64/insn.h"

#include "table.h"

#define RET 0x00008067
#define NOP 0x00000013

/* Returns the target that a CPU computes for `auipc t0; jalr t0` at @site. */
static uint64_t execute(const uint32_t words[2], uint64_t site)
{
	const uint64_t t0 =
		site + (uint64_t)(int64_t)(int32_t)(words[0] & 0xfffff000);

	return t0 + (uint64_t)(int64_t)((int32_t)words[1] >> 20);
}

static void calls(void)
{
	static const struct {
		int64_t offset;
		uint32_t auipc, jalr; /* 0: too far */
	} table[] = {
		{ 0, 0x00000297, 0x000282e7 },
		{ 4, 0x00000297, 0x004282e7 },
		{ 0x7ff, 0x00000297, 0x7ff282e7 },
		/*
		 * the lower part is negative, and the upper part compensates for that
		 */
		{ 0x800, 0x00001297, 0x800282e7 },
		{ 0xfff, 0x00001297, 0xfff282e7 },
		{ 0x1000, 0x00001297, 0x000282e7 },
		{ -1, 0x00000297, 0xfff282e7 },
		{ -0x800, 0x00000297, 0x800282e7 },
		{ -0x801, 0xfffff297, 0x7ff282e7 },
		{ 0x12345678, 0x12345297, 0x678282e7 },
		/* the limits */
		{ 0x7ffff7ff, 0x7ffff297, 0x7ff282e7 },
		{ 0x7ffff800, 0, 0 },
		{ 0x80000000, 0, 0 },
		{ -0x80000000ll, 0x80000297, 0x000282e7 },
		{ -0x80000800ll, 0x80000297, 0x800282e7 },
		{ -0x80000801ll, 0, 0 },
		{ 0x100000000, 0, 0 },
	};
	const uint64_t site = 0x2aaaaaa000;

	for (size_t i = 0; i < ROWS(table); i++) {
		const uint64_t to = site + (uint64_t)table[i].offset;
		uint32_t words[2] = { 0, 0 };

		CHECK_ROW(i, pb_riscv64_call(words, site, to) ==
				     (table[i].auipc != 0));
		CHECK_ROW(i, words[0] == table[i].auipc &&
				     words[1] == table[i].jalr);
		CHECK_ROW(i, !words[0] || execute(words, site) == to);
	}
}

static void sites(void)
{
	static const struct {
		uint32_t first;
		int64_t from_entry;
		int at; /* word, -1: none */
	} table[] = {
		{ NOP, 0, 0 },
		{ 0x00000017, 0, 0 }, /* a foreign site, as its words show */
		{ 0x00000017, 4, 1 }, /* lpad 0 */
		{ 0x12345017, 4, 1 }, /* with a label */
		{ 0x00000297, 4, -1 }, /* auipc t0 */
		{ NOP, 4, -1 },
		{ 0x00000017, 8, -1 },
		{ 0x00000017, 2, -1 },
		{ NOP, -4, -1 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		const uint32_t entry[4] = { table[i].first, NOP, NOP, RET };
		const uint32_t *at = pb_riscv64_site(entry, table[i].from_entry);

		CHECK_ROW(i, table[i].at < 0 ? !at : at == entry + table[i].at);
	}
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
		{ { 0, 0, 0, 0, 0x80828082, RET }, false }, /* c.ret, twice */
		{ { 0, 0, 0, 0, 0, 0x12345678 }, false },
		{ { RET, RET, 0, 0, 0, RET }, false },
		/* -fsanitize=function with and without a slot */
		{ { RET, RET, 0, 0, 0xc105cafe, 0x12345678 }, true },
		{ { RET, NOP, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { NOP, RET, 0, 0, 0xc105cafe, 0x12345678 }, false },
		{ { RET, RET, 0, 0, 0xc105caff, 0x12345678 }, false },
	};

	for (size_t i = 0; i < ROWS(table); i++)
		CHECK_ROW(i, pb_words_have_slot(table[i].before + 6, PB_RISCV64_RET) ==
				     table[i].is);
}

static void stubs(void)
{
	uint32_t code[PB_RISCV64_STUBS_SIZE / 4];

	pb_riscv64_stubs(code, 0x1122334455667700, 0x100);
	for (uint32_t i = 0; i < PB_RISCV64_STUBS; i++) {
		const uint32_t *stub = code + i * 4;
		const uint32_t at = i * 16 + (stub[1] >> 20);

		CHECK_ROW(i, stub[0] == 0x00000317);
		/* ld: I-type, rs1 t1, funct3 3, rd t1 */
		CHECK_ROW(i, (stub[1] & 0xfffff) ==
				     (6 << 15 | 3 << 12 | 6 << 7 | 0x03));
		CHECK_ROW(i, stub[2] == (6 << 15 | 0x67) && !stub[3]);
		CHECK_ROW(i, at % 8 == 0 && at >= PB_RISCV64_STUBS * 16 &&
				     at + 8 <= sizeof(code));
		CHECK_ROW(i, code[at / 4] == 0x55667700 + i * 0x100 &&
				     code[at / 4 + 1] == 0x11223344);
	}
}

static void trampolines(void)
{
	static const struct {
		uint8_t gp_args, flags;
		unsigned int is;
	} table[] = {
		{ 0, 0, 0 }, { 2, 0, 0 },
		{ 3, 0, 2 }, { 4, 0, 2 },
		{ 5, 0, 4 }, { 8, 0, 4 },
		{ 1, PATCHBAY_RECORD_VARIADIC, 4 },
		{ 1, PATCHBAY_RECORD_UNKNOWN_ARGS, 4 },
		{ 1, PATCHBAY_RECORD_SRET, 0 },
	};

	for (size_t i = 0; i < ROWS(table); i++) {
		const struct patchbay_record record = {
			.gp_args = table[i].gp_args, .flags = table[i].flags
		};

		CHECK_ROW(i, pb_riscv64_trampoline(&record, false) ==
				     table[i].is);
		CHECK_ROW(i, pb_riscv64_trampoline(&record, true) ==
				     table[i].is + 1);
	}
}

int main(void)
{
	calls();
	sites();
	pads();
	stubs();
	trampolines();
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
