/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a thread may do around the barrier of pb_quiesce_begin(), which is
 * where it may still have read a cell as it was before: it is waited for, also
 * on processors that load the cell before the phase. And that each handler within
 * others is waited for on its own.
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 64{{$}}

#include "left.c"
#include "quiesce.c"
#include "unlisted.c"
#include "wait.c"

#include "table.h"

static struct pb_thread other; /* on the list, like any */
static int enter, error;

int pb_os_restricted;

/*
 * The barrier. A thread that has loaded its cell by now has loaded the phase by
 * now, and made its mark; in which order it did is up to the processor.
 */
int pb_sync_core(void)
{
	if (enter)
		other.outer.phase = pb_quiesce_phase;
	return error;
}

/* What the kernel is asked. */
int pb_os_differs(const uint32_t *at, uint32_t value)
{
	return *at != value;
}

struct pb_stats pb_stats;
const struct pb_frame_mark pb_frame_mark = { 8, 7 };

enum { ALL = 1 + PB_NESTED_MAX + 2 };

static struct patchbay_regs frames[ALL];
static uint64_t tokens[ALL];

static void use_frame(int i, uint32_t word)
{
	((uint32_t *)&frames[i])[2] = word;
}

static enum pb_nesting enter_from(int i)
{
	enum pb_nesting nesting;

	use_frame(i, pb_frame_mark.value);
	tokens[i] = pb_thread_enter(&frames[i], &frames[i] + 1, &nesting);
	return nesting;
}

/* In or left, as can be told without or with a closer look. */
static int is_over(uint64_t phase, int *closely)
{
	pb_quiesce_thread(phase, closely);
	return pb_quiesce_over(phase);
}

/* Handlers within handlers have marks of their own. */
static void nest(void)
{
	uint64_t phase = 0, later = 0;
	int over;

	other.outer.phase = PB_THREAD_OUTSIDE;
	pb_quiesce_init();
	CHECK(enter_from(0) == PB_NESTING_FREE);
	for (int i = 1; i <= PB_NESTED_MAX; i++)
		CHECK(enter_from(i) == PB_NESTING_NESTED);
	CHECK(enter_from(ALL - 2) == PB_NESTING_TOO_DEEP);
	CHECK(enter_from(ALL - 1) == PB_NESTING_TOO_DEEP);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(pb_unlisted_until(phase, 1) < phase);
	pb_thread_leave(tokens[ALL - 1]);
	CHECK(pb_unlisted_until(phase, 1) == phase);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(!is_over(phase, &over) && !over);
	/* The outer one was left. That says nothing of the others. */
	use_frame(0, 0);
	CHECK(!is_over(phase, &over) && !over);
	CHECK(pb_thread_inside());
	/* They may be over in any order, if they are in different coroutines. */
	for (int i = 1; i < ALL - 1; i++) {
		CHECK(!is_over(phase, &over) && !over);
		pb_thread_leave(tokens[i]);
	}
	CHECK(!is_over(phase, &over) && over);
	/* Who is told so forgets it, and marks are there again. */
	CHECK(!pb_thread_inside());
	CHECK(enter_from(0) == PB_NESTING_FREE);
	CHECK(enter_from(1) == PB_NESTING_NESTED);
	CHECK(enter_from(2) == PB_NESTING_NESTED);
	CHECK(is_over(phase, &over) && over); /* they came later */
	CHECK(!pb_quiesce_begin(&later));
	/* One that goes on when the outer one has returned; one that was left. */
	pb_thread_leave(tokens[0]);
	use_frame(1, 0);
	CHECK(!is_over(later, &over) && !over);
	pb_thread_leave(tokens[2]);
	CHECK(!is_over(later, &over) && over);
	CHECK(!pb_thread_inside() && is_over(later, &over));
}

static int listed(void)
{
	int nr = 0;

	for (const struct pb_thread *t = threads; t && nr < 100; t = t->next)
		nr += t == &pb_thread;
	return nr;
}

/* A signal handler forks, or leaves, while a thread is put on the list. */
static void interrupt_enlisting(void)
{
	static struct pb_thread never;

	CHECK(listed() == 1);
	forked_child();
	CHECK(listed() == 1 && threads == &pb_thread && !pb_thread.next);
	pb_thread.outer.phase = PB_THREAD_UNLISTED; /* behind push() */
	forked_child();
	CHECK(listed() == 1);
	unlink_thread(&pb_thread);
	forked_child(); /* before */
	CHECK(!threads);
	push(&pb_thread);
	CHECK(listed() == 1);
	unlink_thread(&never);
	CHECK(listed() == 1 && !pb_thread.next);
	pb_thread.outer.phase = PB_THREAD_OUTSIDE;
}

int main(void)
{
	uint32_t frame[16] = { [2] = 7 };
	uint64_t phase = 0, before;
	int64_t first = 0, second = 0;
	int over;

	push(&other);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(pb_quiesce_over(phase));

	enter = 1;
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(!pb_quiesce_over(phase));
	other.outer.phase = PB_THREAD_OUTSIDE;
	CHECK(pb_quiesce_over(phase));

	/* Who comes later has seen what was stored, and is not waited for. */
	enter = 0;
	CHECK(!pb_quiesce_begin(&phase));
	other.outer.phase = pb_quiesce_phase;
	CHECK(pb_quiesce_over(phase));

	/* Without a barrier nothing is known: nothing has begun. */
	error = -EPERM;
	before = pb_quiesce_phase;
	CHECK(pb_quiesce_begin(&phase) == -EPERM);
	CHECK(pb_quiesce_phase == before);
	CHECK(pb_wait() == -EPERM);
	error = 0;

	/* A handler is waited for until its frame is used for something else. */
	enter = 1;
	CHECK(!pb_quiesce_begin(&phase));
	other.outer.frame = (uintptr_t)frame;
	CHECK(!pb_quiesce_over(phase));
	pb_quiesce_thread(phase, &over);
	CHECK(!over);
	patchbay_set_wait_limit(1);
	enter = 0;
	CHECK(pb_wait() == -ETIMEDOUT);
	CHECK(pb_stats.timeouts == 1);
	frame[2] = 8;
	pb_quiesce_thread(phase, &over);
	CHECK(over);
	CHECK(!pb_wait());
	/* Whoever is not the first to ask finds out, too. */
	CHECK(pb_quiesce_until(phase, 0) < phase);
	CHECK(pb_over_until(phase, &first) == phase);
	CHECK(pb_over_until(phase, &second) == phase);
	/* There is no telling where its frame is. */
	other.outer.frame = 0;
	CHECK(pb_wait() == -ETIMEDOUT);
	nest();
	interrupt_enlisting();
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
