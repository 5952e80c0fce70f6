/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that has entered a cell and not yet loaded its set calls the right handlers,
 * whichever later set it loads. The file also tests the members of the set's lists, and
 * the path that walks the lists.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 45{{$}}

#include "call/call.c"
#include "cells/set.c"
#include "call/set_call.c"

#include "call/gate.c"

#include "table.h"

static int saved, called, wrong, last;
static struct patchbay_regs regs;

/* The arguments that all members of a set get. */
#define IP ((uintptr_t)0x1000)
#define PARENT_IP ((uintptr_t)0x2000)

/* A real handler would save vector registers here. */
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
UNCALLED(patchbay_no_exit)

const unsigned int pb_arch_direct_words = 2;

/* The flags that all tracers with an exit have in the last set. */
static unsigned int common_flags;

int pb_call_is_simple(const struct patchbay_record *record, unsigned int flags)
{
	common_flags = flags;
	return !record;
}

/* A since with number @n of an arming, above the other bits. */
#define SINCE(n) ((n) * (~PATCHBAY_CELL_SINCE + 1))

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *seen)
{
	wrong += ip != IP || parent_ip != PARENT_IP || seen != &regs;
	called++;
	last = *(int *)cell->data;
}

/* Does @list have exactly these members? @members ends with -1. */
static int lists(const struct pb_set *set,
		 const struct patchbay_cell *const *list, const int *members)
{
	for (; *members >= 0; members++)
		if (*list++ != &set->cells[*members])
			return 0;
	return !*list;
}

#define LISTS(set, list, ...)                                                  \
	lists(set, (set)->list, (const int[]){ __VA_ARGS__, -1 })

static int has_nothing(const struct patchbay_cell *const *list)
{
	return list[0] && !list[1] && list[0]->func == pb_enter_nothing &&
	       list[0]->exit == pb_enter_nothing;
}

static void check_lists(void)
{
	static int data;
	struct patchbay_ops entry = { .attr = { .flags = PATCHBAY_OPS_FAST,
						.handler = handler } };
	struct patchbay_ops leave = { .attr = { .flags = PATCHBAY_OPS_FAST,
						.exit = handler } };
	struct patchbay_ops both = { .attr = { .flags = PATCHBAY_OPS_FAST,
					       .handler = handler,
					       .exit = handler } };
	struct patchbay_ops answer = { .attr = { .flags = PATCHBAY_OPS_FAST,
						 .handler = handler,
						 .exit = patchbay_no_exit } };
	const struct patchbay_cell members[] = {
		pb_ops_cell(&leave, NULL, &data, pb_call_since(SINCE(7), 1)),
		pb_ops_cell(&entry, NULL, &data, SINCE(2)),
		pb_ops_cell(&both, NULL, &data, pb_call_since(SINCE(9), 0)),
		pb_ops_cell(&answer, NULL, &data, pb_call_since(SINCE(4), 2)),
	};
	struct pb_set *set = pb_set_new(members, 1), *old;

	/* A single exit. */
	CHECK(set->enter == pb_arch_call_set && set->told == 2);
	CHECK(set->since == (SINCE(7) | PB_CALL_SET));
	CHECK(LISTS(set, exits, 0) && has_nothing(set->entries));
	pb_set_free(set);

	/* Entries are in order, exits in reverse order. */
	set = pb_set_new(members, 3);
	CHECK(set->enter == pb_arch_call_set && set->told == 3);
	CHECK(set->since == (SINCE(9) | PB_CALL_SET_BOTH));
	CHECK(LISTS(set, entries, 1, 2) && LISTS(set, exits, 2, 0));

	/* A disabled tracer sees no exit, and the cell has left the direct state. */
	both.disabled = 1;
	old = set;
	set = pb_set_reserve(3);
	pb_set_renew(set, old);
	CHECK(set->nr == 3 && set->since == SINCE(9) && set->told == 2);
	CHECK(set->enter == pb_arch_call_set);
	CHECK(LISTS(set, entries, 1) && LISTS(set, exits, 0));
	CHECK(set->cells[2].func == pb_enter_nothing &&
	      set->cells[2].data == &data);
	pb_set_free(old);

	/*
	 * All tracers with exits are disabled: no exit is called, and the number is
	 * kept.
	 */
	leave.disabled = 1;
	old = set;
	set = pb_set_reserve(3);
	pb_set_renew(set, old);
	CHECK(set->nr == 3 && set->since == SINCE(9) && !set->told);
	CHECK(set->enter == pb_set_call_fast && !set->more);
	CHECK(LISTS(set, entries, 1) && has_nothing(set->exits));
	pb_set_free(old);

	/* All tracers are enabled again. */
	leave.disabled = 0;
	old = set;
	set = pb_set_reserve(3);
	pb_set_renew(set, old);
	CHECK(set->since == SINCE(9) && set->told == 2);
	pb_set_free(old);
	both.disabled = 0;
	old = set;
	set = pb_set_reserve(3);
	pb_set_renew(set, old);
	CHECK(set->since == (SINCE(9) | PB_CALL_SET_BOTH));
	CHECK(set->told == 3 && LISTS(set, exits, 2, 0));
	pb_set_free(old);
	pb_set_free(set);

	/* A disabled tracer without exit has no effect on exits. */
	entry.disabled = 1;
	set = pb_set_new(members, 2);
	CHECK(set->since == (SINCE(7) | PB_CALL_SET));
	CHECK(has_nothing(set->entries) && LISTS(set, exits, 0));
	pb_set_free(set);
	entry.disabled = 0;

	/*
	 * The flag is set only if all tracers with an exit leave floating-point results
	 * alone.
	 */
	leave.attr.flags |= PATCHBAY_OPS_NO_RESULT_FP;
	pb_set_free(pb_set_new(members, 2));
	CHECK(common_flags & PATCHBAY_OPS_NO_RESULT_FP);
	pb_set_free(pb_set_new(members, 3));
	CHECK(!(common_flags & PATCHBAY_OPS_NO_RESULT_FP));
	leave.attr.flags = PATCHBAY_OPS_FAST;

	/*
	 * The set needs one word more than the direct path has. A tracer without exit
	 * needs no word.
	 */
	set = pb_set_new(members, 4);
	CHECK(set->since == SINCE(9) && set->more == 16 && set->told == 7);
	CHECK(LISTS(set, entries, 1, 2, 3) && LISTS(set, exits, 2, 0));
	pb_set_free(set);
	set = pb_set_new(&members[3], 1);
	CHECK(set->enter == pb_arch_call_set && has_nothing(set->exits));
	pb_set_free(set);
}

static int entered, left;

static void count_entry(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *seen)
{
	(void)ip;
	(void)parent_ip;
	(void)seen;
	entered += *(int *)cell->data;
}

static void count_exit(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *seen)
{
	(void)ip;
	(void)parent_ip;
	(void)seen;
	left += *(int *)cell->data;
}

static void give_set(struct patchbay_cell *cell, const struct pb_set *set)
{
	cell->set = set;
	cell->since = set->since;
}

/*
 * A call has loaded cell->enter of a cell with one tracer, at its entry or exit. The
 * cell gets a set before the call loads anything else.
 */
enum late { AT_ENTRY, AT_EXIT };

static uint64_t since_of_entry(struct patchbay_cell *cell, struct pb_set *set,
			       enum late late)
{
	static struct {
		struct patchbay_call call;
		struct patchbay_regs regs;
	} frame;
	uintptr_t function[] = { (uintptr_t)cell, 0, 0 };

	memset(&frame, 0, sizeof(frame));
	frame.call.ip = (uintptr_t)&function[2];
	if (late == AT_ENTRY)
		give_set(cell, set);
	entered = left = 0;
	pb_call_entry(&frame.call, cell);
	if (late == AT_ENTRY)
		cell->enter = set->enter;
	else
		give_set(cell, set);
	pb_call_exit(&frame.call);
	return frame.call.since;
}

static void check_late_set(void)
{
	static int one = 1, ten = 10;
	static const struct patchbay_record record;
	struct patchbay_ops ops[] = {
		{ .attr = { .handler = count_entry, .exit = count_exit } },
		{ .attr = { .handler = count_entry, .exit = count_exit } },
	};
	const struct patchbay_cell members[] = {
		pb_ops_cell(&ops[0], &record, &one, SINCE(3)),
		pb_ops_cell(&ops[1], &record, &ten, pb_call_since(SINCE(9), 1)),
		pb_ops_cell(&ops[1], &record, &ten, SINCE(9)),
	};
	struct patchbay_cell cell = members[0];
	struct pb_set *joined = pb_set_new(members, 2);
	struct pb_set *replaced = pb_set_new(&members[2], 1);

	CHECK(since_of_entry(&cell, joined, AT_ENTRY) == SINCE(3));
	CHECK(entered == 1 && left == 1);
	cell = members[0];
	CHECK(since_of_entry(&cell, joined, AT_EXIT) == SINCE(3));
	CHECK(entered == 1 && left == 1);
	/* The second tracer replaces the first, and its exit is not called: it saw no entry. */
	cell = members[0];
	CHECK(since_of_entry(&cell, replaced, AT_ENTRY) == 0);
	CHECK(entered == 1 && left == 0);
	cell = members[0];
	CHECK(since_of_entry(&cell, replaced, AT_EXIT) == SINCE(3));
	CHECK(entered == 1 && left == 0);
	pb_set_free(joined);
	pb_set_free(replaced);
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
		pb_ops_cell(&leaving, NULL, &first, pb_call_since(SINCE(3), 1)),
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

	/* A tracer that is not FAST was added. */
	cell.set = two;
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 3 && saved == 1);
	CHECK(last == second);

	/* An added tracer with an exit misses this call. */
	CHECK(three->enter == pb_arch_call_any_set);
	CHECK(three->since == SINCE(3) && three->more == 16);
	CHECK(pb_set_find_word(members, 3) == 0);
	cell.set = three;
	pb_set_call_fast(IP, PARENT_IP, &cell, &regs);
	CHECK(called == 5 && saved == 2);
	CHECK(last == second);
	called = 3;
	saved = 1;

	/* The set has lost all tracers; the cell itself still has them. */
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
	check_lists();
	check_late_set();
	pb_set_free(one);
	pb_set_free(two);
	pb_set_free(three);
	pb_set_free(NULL);
	pb_set_free((struct pb_set *)&pb_set_nobody);
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
