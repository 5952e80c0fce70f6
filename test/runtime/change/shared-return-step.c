/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * No exit handler is called without its entry handler when a function leaves a shared
 * cell and returns to the cell during a call. The call is stopped twice: after n
 * instructions and a few later. At the first stop the function leaves the cell, and
 * other functions get the cell with a tracer that has only an exit handler. At the
 * second stop these functions leave the cell, and the first function returns. The call
 * may have read the cell between the stops, when other functions used it.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}returned: {{[1-9][0-9]+}}{{$}}

#include "../Inputs/shared-step.h"

#include <errno.h>

/*
 * Plums have a tracer with both handlers; plum_a() and plum_b() have a second tracer
 * each. Peaches have a tracer with an exit handler only.
 */
static struct patchbay_ops *of_plums, *of_a, *of_b, *of_peaches;
static const struct patchbay_cell *cell_before;
static int gone, entries, exits;
static long first, second, returned;

FAST static void note(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

FAST static void enter(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip, (void)cell, (void)regs;
	entries += ip == (uintptr_t)plum_a;
}

FAST static void leave(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip, (void)cell, (void)regs;
	exits += ip == (uintptr_t)plum_a;
}

NOT_TRACED static const struct patchbay_cell *cell_of_a(void)
{
	const char *entry = (const char *)plum_a;

	return *(const struct patchbay_cell *const *)(entry +
						      PATCHBAY_SLOT_OFFSET);
}

/* Puts all matching functions in one cell without tracers. */
NOT_TRACED static void gather(const char *glob)
{
	struct patchbay_ops *all = make(note, NULL, PATCHBAY_OPS_FAST);

	CHECK(patchbay_arm(all, glob, 0) > 0);
	CHECK_EQ(patchbay_ops_destroy(all), 0);
}

static const struct patchbay_filter only_a = { .size = sizeof(only_a),
					       .glob = "plum_a" },
				    only_b = { .size = sizeof(only_b),
					       .glob = "plum_b" },
				    the_rest = { .size = sizeof(the_rest),
						 .glob = "plum_[cde]" };

NOT_TRACED static void go(void)
{
	struct patchbay_batch *batch;
	int nr;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, of_plums, &the_rest), 0);
	CHECK_EQ(patchbay_batch_arm(batch, of_a, &only_a, 0), 0);
	CHECK_EQ(patchbay_batch_arm(batch, of_b, &only_b, 0), 0);
	nr = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	gone = nr == 5;
	CHECK(gone || nr == -EDEADLK);
	if (gone)
		CHECK_EQ(patchbay_arm(of_peaches, "peach_[abcd]", 0), 4);
}

NOT_TRACED static void come_back(void)
{
	struct patchbay_batch *batch;
	int nr;

	/*
	 * Disarm one function last: a single function does not keep the shared cell of
	 * functions without tracers.
	 */
	if (!gone || patchbay_disarm(of_peaches, "peach_[abc]") != 3 ||
	    patchbay_disarm(of_peaches, "peach_d") != 1)
		return;
	gather("peach_*");
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, of_a, &only_a), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, of_b, &only_b), 0);
	nr = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	CHECK(nr == 2 || nr == -EDEADLK);
	returned += cell_of_a() == cell_before;
}

NOT_TRACED static void count_down(void)
{
	if (!--first)
		go();
	else if (first < 0 && !--second)
		come_back();
}

/* Makes a call, stopped after @n instructions and again after @more. */
NOT_TRACED static int call(long n, long more)
{
	gone = entries = exits = 0;
	cell_before = cell_of_a();
	first = n;
	second = more;
	step_through();
	CHECK(exits <= entries);
	return first <= 0;
}

int main(void)
{
	int more = 1;

	step_by(count_down);
	for (long n = 1; more; n++) {
		for (long apart = 1; apart <= 4; apart++) {
			of_plums = make(enter, leave, PATCHBAY_OPS_FAST);
			of_a = make(note, NULL, PATCHBAY_OPS_FAST);
			of_b = make(note, NULL, PATCHBAY_OPS_FAST);
			of_peaches = make(NULL, leave, PATCHBAY_OPS_FAST);
			gather("p[el]*_?");
			CHECK_EQ(patchbay_arm(of_plums, "plum_*", 0), 5);
			more = call(n, apart);
			CHECK_EQ(patchbay_ops_destroy(of_plums), 0);
			CHECK_EQ(patchbay_ops_destroy(of_a), 0);
			CHECK_EQ(patchbay_ops_destroy(of_b), 0);
			CHECK_EQ(patchbay_ops_destroy(of_peaches), 0);
		}
	}
	printf("returned: %ld\n", returned);
	return 0;
}
