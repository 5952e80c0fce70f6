/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A slot can be rewritten while threads read it: a partly written address of a shared
 * cell equals the old or the new address. The file also tests which function has which
 * cell, when a cell is free for other functions, and how a gate finds a cell.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 134525{{$}}

#include "call/gate.c"
#include "cells/shared_cells.c"
#include "arch/x86_64/arch_bulk.h"

#include "table.h"

enum { NR = 40 };
static struct patchbay_record records[NR];
static struct pb_module module = { .records = records, .nr = NR };

/* The number of used cells as the holder of the engine lock sees it. */
static unsigned int seen_end;

static unsigned int end_now(void)
{
	return module.shared ? module.shared->end : 0;
}

static void expect_seen(void)
{
	CHECK_ROW(end_now(), !module.shared || end_now() == seen_end);
}

void pb_engine_lock(void)
{
	expect_seen();
}

void pb_engine_unlock(void)
{
	seen_end = end_now();
}

int pb_engine_is_locked(void)
{
	return 0;
}

int pb_record_order(struct pb_module *ordered)
{
	ordered->ordered = 1;
	return 0;
}

void *pb_os_map_zeroes(size_t size, size_t multiple)
{
	void *memory = aligned_alloc(multiple, size);

	return memory ? memset(memory, 0, size) : NULL;
}

void pb_os_unmap(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

#define UNCALLED(name)                                                         \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell,                            \
		  struct patchbay_regs *regs)                                  \
	{                                                                      \
		(void)ip;                                                      \
		(void)parent_ip;                                               \
		(void)cell;                                                    \
		(void)regs;                                                    \
	}

UNCALLED(pb_enter_nothing)

/* Returns eight bytes, some of which are already written. */
static uintptr_t mix(uintptr_t old, uintptr_t new, unsigned int written)
{
	uintptr_t mask = 0;

	for (unsigned int byte = 0; byte < 8; byte++)
		if (written >> byte & 1)
			mask |= (uintptr_t)0xff << 8 * byte;
	return (old & ~mask) | (new & mask);
}

static void addresses(void)
{
	const uintptr_t first = pb_owner_slot(&module, 0);

	/*
	 * Check that one write changes any pair; check some pairs in all partly written
	 * states.
	 */
	for (unsigned int a = 0; a < PB_NR_SHARED; a++)
		for (unsigned int b = 0; b < PB_NR_SHARED; b++) {
			uintptr_t x = pb_owner_slot(&module, a),
				  y = pb_owner_slot(&module, b);

			CHECK(!((x ^ y) & ~(uintptr_t)0xff00));
			CHECK(x >= first && x < first + 0x10000);
			if ((a * 31 + b) % 1009)
				continue;
			for (unsigned int n = 0; n < 256; n++)
				if (mix(x, y, n) != x && mix(x, y, n) != y)
					CHECK(!"another cell");
		}
}

static void writes(void)
{
	uintptr_t gate = pb_owner_slot(&module, PB_OWNER_GATE),
		  cell = pb_owner_slot(&module, 200);
	struct patchbay_cell own;
	uint8_t slot[8] = { 0 };
	uint64_t now;

	/* No thread has read the slot yet, so all of its bytes may change. */
	CHECK(!pb_bulk_slot(slot, cell, 0));
	CHECK(!pb_bulk_slot(slot, gate, 1));
	memcpy(&now, slot, sizeof(now));
	CHECK(now == gate);
	/* The slot may not change to a cell whose address differs in more than one byte. */
	CHECK(pb_bulk_slot(slot, (uintptr_t)&own, 1) == -EILSEQ);
	CHECK(pb_bulk_slot(slot, 0, 1) == -EILSEQ);
	CHECK(pb_bulk_slot(slot, gate + 1, 1) == -EILSEQ);
	CHECK(pb_bulk_slot(slot, gate + 0x10000, 1) == -EILSEQ);
	memcpy(&now, slot, sizeof(now));
	CHECK(now == gate);
}

static uint32_t shape_of(uint8_t args, uint8_t result)
{
	const struct patchbay_record record = { .gp_args = args,
						.flags = result };

	return pb_shape(&record);
}

static void reuse(void)
{
	const uint32_t whole = shape_of(2, PATCHBAY_RECORD_RETURN_GP),
		       other = shape_of(1, PATCHBAY_RECORD_RETURN_GP),
		       real = shape_of(2, PATCHBAY_RECORD_RETURN_FP);
	const unsigned int all = pb_shared_count_free(&module);
	struct patchbay_ops *ops = (struct patchbay_ops *)records;
	struct pb_shared_cell *cell = pb_shared_find_free(&module, whole), *next;
	unsigned int number = pb_shared_number(&module, cell);

	CHECK(all == PB_NR_SHARED - PB_OWNER_FIRST);
	for (int i = 0; i < NR; i++)
		records[i].gp_args = 2;
	CHECK(number >= PB_OWNER_FIRST);
	pb_shared_take(cell, whole);
	cell->cell.ops = ops;
	CHECK(pb_shape(cell->cell.record) == whole && !cell->shape.entry);
	pb_owner_set(&module, 7, number);
	pb_owner_set(&module, 3, number);
	pb_owner_set(&module, 30, number);
	pb_owner_set(&module, 3, number);
	CHECK(cell->nr == 3);
	CHECK(pb_shared_count_free(&module) == all - 1);
	next = pb_shared_find_free(&module, whole);
	CHECK(next != cell);
	/*
	 * Some functions leave the cell, which still has tracers. Threads may be
	 * inside.
	 */
	pb_owner_set(&module, 7, PB_OWNER_NOBODY);
	pb_owner_set(&module, 3, PB_OWNER_GATE);
	CHECK(cell->nr == 1 && pb_owner(&module, 7) == PB_OWNER_NOBODY);
	pb_owner_set(&module, 30, PB_OWNER_NOBODY);
	CHECK(!cell->nr && pb_shared_is_used(cell));
	CHECK(pb_shared_find_free(&module, whole) != cell);
	/* All threads have left the cell. */
	cell->cell.ops = NULL;
	cell->left = 0;
	CHECK(!pb_shared_is_used(cell) && pb_shared_find_free(&module, other) == cell);
	/* The cell is not free for functions with another type of result. */
	CHECK(pb_shared_find_free(&module, real) != cell);
	/* Functions that point to a cell keep it, even if it has no tracers. */
	pb_shared_take(cell, other);
	pb_owner_set(&module, 9, number);
	cell->left = 0;
	CHECK(pb_shared_is_used(cell) && pb_shared_find_free(&module, other) != cell);
	/* A thread that was entering the cell when the function left may be inside. */
	pb_owner_set(&module, 9, PB_OWNER_NOBODY);
	CHECK(pb_shared_is_used(cell) && pb_shared_find_free(&module, other) != cell);
	cell->left = 0;
	CHECK(!pb_shared_is_used(cell));
	/* The cell is reserved for a group in a plan that is not complete yet. */
	cell->to = (struct pb_group *)records;
	CHECK(pb_shared_find_free(&module, other) != cell);
	cell->to = NULL;
}

/* The expected owner of each function. */
static unsigned int owners[NR];

static void expect_owners(void)
{
	const struct pb_shared *shared = module.shared;
	unsigned int nr[PB_NR_SHARED] = { 0 };

	for (int i = 0; i < NR; i++) {
		nr[owners[i]]++;
		CHECK_ROW(i, pb_owner(&module, (size_t)i) == owners[i]);
	}
	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++)
		CHECK_ROW(i, shared->cells[i].nr == nr[i]);
}

/* Makes the functions of a shape, from @first to before @end, point to @owner. */
static void lead(int first, int end, unsigned int owner)
{
	for (int i = first; i < end; i++) {
		pb_owner_set(&module, (size_t)i, owner);
		owners[i] = owner;
	}
	expect_owners();
}

static unsigned int take(uint32_t shape)
{
	struct pb_shared_cell *cell = pb_shared_find_free(&module, shape);

	pb_shared_take(cell, shape);
	cell->cell.ops = (struct patchbay_ops *)records;
	return pb_shared_number(&module, cell);
}

/*
 * Tests functions that point to the cells of their shapes, to other cells of the same
 * shape, or to none.
 */
static void lead_all(void)
{
	const uint32_t shapes[] = { shape_of(1, 0), shape_of(2, 0), shape_of(3, 0) };
	struct pb_shared *shared = module.shared;
	unsigned int first[3], second, chance = 1;

	for (int i = 0; i < NR; i++) {
		records[i].gp_args = (uint8_t)(1 + i / 4 % 3);
		owners[i] = PB_OWNER_NONE;
	}
	expect_owners();
	for (int i = 0; i < 3; i++)
		first[i] = take(shapes[i]);
	for (int i = 0; i < NR; i += 4)
		lead(i, i + 4, first[i / 4 % 3]);
	/* Use another cell of the same shape, and a cell that its functions have left. */
	second = take(shapes[0]);
	lead(0, 3, second);
	lead(12, 15, PB_OWNER_NOBODY);
	lead(1, 2, first[0]);
	lead(13, 14, PB_OWNER_GATE);
	for (int i = 0; i < NR; i += 12)
		lead(i, i + 4, second);
	CHECK(!shared->cells[first[0]].nr);
	lead(24, 28, first[0]);
	lead(24, 28, PB_OWNER_NOBODY);
	first[0] = take(shapes[0]);
	lead(0, 2, first[0]);
	/* Change owners at random. */
	for (int n = 0; n < 2000; n++) {
		const int i = (int)((chance = chance * 69069 + 1) >> 16) % NR;
		const unsigned int to[] = { PB_OWNER_NOBODY, PB_OWNER_GATE,
					    first[i / 4 % 3],
					    i / 4 % 3 ? PB_OWNER_NOBODY : second };

		pb_owner_set(&module, (size_t)i, to[chance >> 8 & 3]);
		owners[i] = to[chance >> 8 & 3];
		if (n % 50 == 0)
			expect_owners();
	}
	lead(0, NR, PB_OWNER_NOBODY);
	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++) {
		shared->cells[i].left = 0;
		shared->cells[i].cell.ops = NULL;
	}
}

static void exhaust(void)
{
	const uint32_t shape = shape_of(0, PATCHBAY_RECORD_RETURN_OTHER);
	struct pb_shared_cell *cell;
	unsigned int nr = 0;

	while ((cell = pb_shared_find_free(&module, shape))) {
		pb_shared_take(cell, shape);
		cell->cell.ops = (struct patchbay_ops *)records;
		CHECK(pb_shared_number(&module, cell) < PB_NR_SHARED);
		nr++;
	}
	CHECK(nr > 100 && nr < PB_NR_SHARED);
	CHECK(pb_shared_of(&module, &module.shared->cells[255].cell) &&
	      !pb_shared_of(&module, &module.shared->cells[256].cell));
}

static void gates(void)
{
	struct patchbay_cell own = { .data = records };
	const struct patchbay_cell *gate =
		&module.shared->cells[PB_OWNER_GATE].cell;

	/* Records have the order of text, 32 bytes apart. */
	for (int i = 0; i < NR; i++)
		records[i].entry = 0x1000 + 16 * i;
	CHECK(!pb_shared_init_gate(&module) && module.shared->own);
	CHECK(pb_is_gate(gate));
	CHECK(!pb_is_gate(&module.shared->cells[PB_OWNER_NOBODY].cell));
	for (int i = 0; i < NR; i++) {
		const uintptr_t entry = pb_record_entry(&records[i]);

		CHECK(pb_gate_find(gate, entry)->enter == pb_enter_nothing);
		module.shared->own[i] = &own;
		CHECK(pb_gate_find(gate, entry) == &own);
		CHECK(pb_gate_find(gate, entry + 1)->enter == pb_enter_nothing);
		module.shared->own[i] = NULL;
	}
}

int main(void)
{
	CHECK(!pb_owner(&module, 5));
	CHECK(!pb_shared_init(&module) && module.shared);
	addresses();
	writes();
	lead_all();
	reuse();
	exhaust();
	gates();
	expect_seen();
	pb_shared_free(&module);
	CHECK(!module.shared);
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
