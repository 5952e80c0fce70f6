/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a thread may do around the barrier of pb_quiesce_begin(), which is
 * where it may still have read a cell as it was before: it is waited for, also
 * on processors that load the cell before the phase.
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 18{{$}}

#include "left.c"
#include "quiesce.c"
#include "wait.c"

#include "table.h"

static struct pb_thread other; /* on the list, like any */
static int enter, error;

/*
 * The barrier. A thread that has loaded its cell by now has loaded the phase by
 * now, and made its mark; in which order it did is up to the processor.
 */
int pb_sync_core(void)
{
	if (enter)
		other.phase = pb_quiesce_phase;
	return error;
}

/* What the kernel is asked. */
int pb_os_differs(const uint32_t *at, uint32_t value)
{
	return *at != value;
}

struct pb_stats pb_stats;
const struct pb_frame_mark pb_frame_mark = { 8, 7 };

int main(void)
{
	uint32_t frame[16] = { [2] = 7 };
	uint64_t phase = 0, before;
	int over;

	push(&other);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(pb_quiesce_over(phase));

	enter = 1;
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(!pb_quiesce_over(phase));
	other.phase = PB_THREAD_OUTSIDE;
	CHECK(pb_quiesce_over(phase));

	/* Who comes later has seen what was stored, and is not waited for. */
	enter = 0;
	CHECK(!pb_quiesce_begin(&phase));
	other.phase = pb_quiesce_phase;
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
	other.frame = (uintptr_t)frame;
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
	/* There is no telling where its frame is. */
	other.frame = 0;
	CHECK(pb_wait() == -ETIMEDOUT);
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
