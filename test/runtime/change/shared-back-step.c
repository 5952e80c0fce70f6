/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function returns to a shared cell while a call is stopped between any two
 * instructions. A debugger's trap stops the call. Another thread then removes one of
 * two tracers from the called function, and adds a third one to the function that
 * shared its cell. The shared cell is now empty, and the called function returns to the
 * cell of functions with one tracer. Even if the call has read the old cell, the
 * remaining tracer sees both its entry and its exit.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}stopped: {{[1-9][0-9][0-9]+}}{{$}}

#include "../Inputs/shared-step.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static struct patchbay_ops *of_all, *of_two, *of_b;
static sem_t stopped, changed;
static int entries, exits;
static long left, stops;

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

FAST static void ignore(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

/*
 * Commit @batch of @nr changes without waiting: the stopped thread may be in a handler.
 * The changes take effect even if the commit returns a timeout.
 */
NOT_TRACED static void commit_without_waiting(struct patchbay_batch *batch, int nr)
{
	int done;

	patchbay_set_wait_limit(0);
	done = patchbay_batch_commit(batch);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	CHECK(done == nr || done == -ETIMEDOUT);
}

NOT_TRACED static void *change(void *arg)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "plum_[ab]" };
	const struct patchbay_filter only_b = { .size = sizeof(only_b),
						.glob = "plum_b" };

	for (;;) {
		struct patchbay_batch *batch;

		sem_wait(&stopped);
		CHECK_EQ(patchbay_batch_create(&batch), 0);
		CHECK_EQ(patchbay_batch_disarm(batch, of_two, &filter), 0);
		CHECK_EQ(patchbay_batch_arm(batch, of_b, &only_b, 0), 0);
		commit_without_waiting(batch, 3);
		patchbay_batch_destroy(batch);
		sem_post(&changed);
	}
	return arg;
}

NOT_TRACED static void count_down(void)
{
	if (--left)
		return;
	stops++;
	sem_post(&stopped);
	while (sem_wait(&changed))
		;
}

/*
 * All functions have a tracer with @entry and @leaving. Two functions have a second one
 * with @handler and @other_leaving.
 */
static void step(patchbay_handler entry, patchbay_handler leaving,
		 patchbay_handler handler, patchbay_handler other_leaving,
		 unsigned int flags)
{
	for (long n = 1, more = 1; more; n++) {
		of_all = make(entry, leaving, flags);
		of_b = make(ignore, NULL, flags);
		of_two = make(handler, other_leaving, flags);
		CHECK_EQ(patchbay_arm(of_all, "plum_*", 0), 5);
		CHECK_EQ(patchbay_arm(of_two, "plum_[ab]", 0), 2);
		left = n;
		entries = exits = 0;
		step_through();
		more = left <= 0;
		CHECK_EQ(entries, entry != NULL);
		CHECK_EQ(exits, leaving != NULL);
		CHECK_EQ(patchbay_ops_destroy(of_all), 0);
		CHECK_EQ(patchbay_ops_destroy(of_two), 0);
		CHECK_EQ(patchbay_ops_destroy(of_b), 0);
	}
}

int main(void)
{
	pthread_t thread;

	CHECK_EQ(sem_init(&stopped, 0, 0), 0);
	CHECK_EQ(sem_init(&changed, 0, 0), 0);
	CHECK_EQ(pthread_create(&thread, NULL, change, NULL), 0);
	step_by(count_down);
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++) {
		step(enter, NULL, ignore, NULL, flags);
		step(enter, leave, ignore, NULL, flags);
		step(enter, leave, ignore, ignore, flags);
		step(NULL, leave, NULL, ignore, flags);
	}
	printf("stopped: %ld\n", stops);
	return 0;
}
