/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function that shares a cell gets another tracer while a call is stopped between any
 * two instructions. A debugger's trap stops the call. Another thread then adds a tracer
 * to the called function, which leaves the shared cell. Afterwards, the remaining
 * functions of the cell get another tracer, too. No thread waits for the call. Even if
 * the call has already read the cell, it does not call tracers that were added later.
 * The test repeats this with enough functions for bulk changes.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %build -DMANY %s -o %t.many %link
// RUN: %t.many | FileCheck %s
// CHECK: {{^}}stopped: {{[1-9][0-9][0-9]+}}{{$}}

#include "../Inputs/repeat.h"
#include "../Inputs/shared-step.h"

#include <pthread.h>
#include <semaphore.h>

#ifdef MANY
#define ONE_MORE(n) OPAQUE int plum_b##n(int a) { return a; }
X64(ONE_MORE, _)
enum { OTHERS = 4 + 64 };
#else
enum { OTHERS = 4 };
#endif

static struct patchbay_ops *of_all, *of_one, *of_others;
static sem_t stopped, changed;
static int wrong;
static long left, stops;

FAST static void note(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

/* Handlers of the tracer on all functions except plum_a(). */
FAST static void not_a(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip, (void)cell, (void)regs;
	wrong += ip == (uintptr_t)plum_a;
}

/* Adding a tracer does not wait for handlers. */
NOT_TRACED static void *change(void *arg)
{
	for (;;) {
		sem_wait(&stopped);
		CHECK_EQ(patchbay_arm(of_one, "plum_a", 0), 1);
		CHECK_EQ(patchbay_arm(of_others, "plum_[b-e]*", 0), OTHERS);
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

/* Stops a call after @n instructions. Returns false if the call has fewer. */
NOT_TRACED static int call(long n)
{
	left = n;
	wrong = 0;
	step_through();
	CHECK_EQ(wrong, 0);
	return left <= 0;
}

/*
 * The tracer on all functions has @handler and @leaving. The added tracers have both or
 * neither.
 */
static void step(patchbay_handler handler, patchbay_handler leaving,
		 unsigned int flags)
{
	int more = 1;

	for (long n = 1; more; n++) {
		of_all = make(handler, leaving, flags);
		of_one = make(note, NULL, flags);
		of_others = make(handler ? not_a : NULL, leaving ? not_a : NULL,
				 flags);
		CHECK_EQ(patchbay_arm(of_all, "plum_*", 0), 1 + OTHERS);
		more = call(n);
		CHECK_EQ(patchbay_ops_destroy(of_all), 0);
		CHECK_EQ(patchbay_ops_destroy(of_one), 0);
		CHECK_EQ(patchbay_ops_destroy(of_others), 0);
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
		step(note, NULL, flags);
		step(NULL, note, flags);
		step(note, note, flags);
	}
	printf("stopped: %ld\n", stops);
	return 0;
}
