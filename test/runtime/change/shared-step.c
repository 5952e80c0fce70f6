/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function may leave a shared cell between any two instructions of its call. A
 * debugger's trap arrives at each instruction, and the trap's handler changes the
 * tracers after n instructions. If the thread is in a tracer's handler, the library
 * returns an error. Otherwise no removed tracer is called, even if the call has read
 * the old cell. If other functions have got that cell since then, the call does not
 * call their tracers.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}parted: {{[1-9][0-9]+}} inside: {{[1-9][0-9]+}} given: {{[1-9][0-9]+}}{{$}}

#include "../Inputs/shared-step.h"

#include <errno.h>

static int gone, late, entries, exits, wrong;
static long left;
static void (*at_trap)(void);
static struct patchbay_ops *first, *second, *third;
static long parted, inside, given;

/* Handlers of the tracer that is removed. */
FAST static void note(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	late += gone;
}

/* Handlers of the tracer that is added. */
FAST static void enter(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip;
	entries++;
	*patchbay_session_word(cell, regs) = ip ^ 0x1234;
}

FAST static void leave(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip;
	exits++;
	wrong += *patchbay_session_word(cell, regs) != (ip ^ 0x1234);
}

/* Handlers of other functions' tracers. */
FAST static void never(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	wrong++;
}

NOT_TRACED static void count_down(void)
{
	if (!--left)
		at_trap();
}

/* Makes a call with a change after @n instructions. Returns false if the call has fewer. */
NOT_TRACED static int call(long n, void (*what)(void))
{
	gone = late = entries = exits = wrong = 0;
	at_trap = what;
	left = n;
	step_through();
	CHECK_EQ(late, 0);
	CHECK_EQ(wrong, 0);
	CHECK_EQ(exits, entries);
	return left <= 0;
}

/* Only plum_a() leaves the shared cell. */
NOT_TRACED static void part(void)
{
	int nr = patchbay_disarm(first, "plum_a");

	gone = nr == 1;
	CHECK(gone || nr == -EDEADLK);
	parted += gone;
	inside += !gone;
}

/* All plums leave the cell for different cells, and other functions get that cell. */
NOT_TRACED static void give(void)
{
	const struct patchbay_filter plums = { .size = sizeof(plums),
					       .glob = "plum_*" },
				     two = { .size = sizeof(two),
					     .glob = "plum_[ab]" };
	struct patchbay_batch *batch;
	int nr;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, first, &plums), 0);
	CHECK_EQ(patchbay_batch_arm(batch, second, &two, 0), 0);
	nr = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	CHECK(nr == 7 || nr == -EDEADLK);
	if (nr < 0)
		return;
	gone = 1;
	given++;
	CHECK_EQ(patchbay_arm(third, "peach_[abcd]", 0), 4);
}

/*
 * Puts all functions in one cell without tracers. A function that is armed then gets
 * another cell.
 */
static void gather(void)
{
	struct patchbay_ops *all = make(note, NULL, 0);

	CHECK_EQ(patchbay_arm(all, "p[el]*_?", 0), 10);
	CHECK_EQ(patchbay_ops_destroy(all), 0);
}

static void step(void (*what)(void), patchbay_handler handler,
		 patchbay_handler leaving, unsigned int flags)
{
	int more = 1;

	for (long n = 1; more; n++) {
		gather();
		first = make(handler, leaving, flags);
		second = make(enter, leave, PATCHBAY_OPS_FAST);
		third = make(NULL, never, PATCHBAY_OPS_FAST);
		CHECK_EQ(patchbay_arm(first, "plum_*", 0), 5);
		more = call(n, what);
		CHECK_EQ(patchbay_ops_destroy(first), 0);
		CHECK_EQ(patchbay_ops_destroy(second), 0);
		CHECK_EQ(patchbay_ops_destroy(third), 0);
	}
}

int main(void)
{
	step_by(count_down);
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++) {
		step(part, note, NULL, flags);
		step(part, NULL, note, flags);
		step(part, note, note, flags);
		step(give, note, NULL, flags);
		step(give, NULL, note, flags);
		step(give, note, note, flags);
	}
	printf("parted: %ld inside: %ld given: %ld\n", parted, inside, given);
	return 0;
}
