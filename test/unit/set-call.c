/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a thread finds that has entered a cell, and not loaded its set, when the
 * cell changes: the set may be any that comes after the one that it was for.
 */
// RUN: %clang -std=c11 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 14{{$}}

#include "set.c"
#include "set_call.c"

#include "table.h"

static int saved, called, wrong, last;
static struct patchbay_regs regs;

/* What all members of a set are called with. */
#define IP ((uintptr_t)0x1000)
#define PARENT_IP ((uintptr_t)0x2000)

/* Vector registers would be saved here. */
void pb_arch_enter_set(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	saved++;
	pb_set_call(ip, parent_ip, cell, regs);
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
UNCALLED(pb_arch_enter_any)
UNCALLED(pb_arch_call_fast)
UNCALLED(pb_arch_call_any)
UNCALLED(pb_arch_call_set)
UNCALLED(pb_arch_call_any_set)
UNCALLED(pb_timed_exit)

int pb_call_is_simple(const struct patchbay_record *record)
{
	return !record;
}

/* The number of an arming, above the bits that are not of it. */
#define SINCE(n) ((n) * (~PATCHBAY_CELL_SINCE + 1))

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *seen)
{
	wrong += ip != IP || parent_ip != PARENT_IP || seen != &regs;
	called++;
	last = *(int *)cell->data;
}

int main(void)
{
	static int first = 1, second = 2;
	struct patchbay_ops fast = { .attr = { .flags = PATCHBAY_OPS_FAST,
					       .handler = handler } };
	struct patchbay_ops any = { .attr = { .handler = handler } };
	struct patchbay_ops leaving = { .attr = { .flags = PATCHBAY_OPS_FAST,
						  .handler = handler,
						  .exit = handler } };
	struct patchbay_cell members[] = {
		pb_ops_cell(&fast, NULL, &first, SINCE(1)),
		pb_ops_cell(&any, NULL, &second, SINCE(2)),
		pb_ops_cell(&leaving, NULL, &first, SINCE(3) + 1),
	};
	struct pb_set *one = pb_set_new(members, 1);
	struct pb_set *two = pb_set_new(members, 2);
	struct pb_set *three = pb_set_new(members, 3);
	struct patchbay_cell cell = { .set = one };
	size_t nr;

	CHECK(one->enter == pb_set_call_fast);
	CHECK(two->enter == pb_arch_enter_set);
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 1 && !saved);

	/* Another tracer came, which is not FAST. */
	cell.set = two;
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 3 && saved == 1);
	CHECK(last == second);

	/* And one with an exit, which misses this call. */
	CHECK(three->enter == pb_arch_call_any_set);
	CHECK(three->since == SINCE(3) && three->more == 16);
	CHECK(pb_set_find_word(members, 3) == 0);
	cell.set = three;
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 5 && saved == 2);
	CHECK(last == second);
	called = 3;
	saved = 1;

	/* All have gone: the cell itself has tracers, but not the set. */
	cell.set = &pb_set_nobody;
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	pb_set_call(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 3 && saved == 1);
	cell.ops = &any;
	pb_set_cells(&cell, &nr);
	CHECK(!nr && !pb_set_find(&cell, &any));
	cell.set = NULL;
	CHECK(pb_set_find(&cell, &any) == &cell);
	CHECK(!wrong);
	pb_set_free(one);
	pb_set_free(two);
	pb_set_free(three);
	pb_set_free(NULL);
	pb_set_free((struct pb_set *)&pb_set_nobody);
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
