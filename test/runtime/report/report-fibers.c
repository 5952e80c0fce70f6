/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of fibers are shown correctly, although they overlap on one thread. Each stack
 * has its own call tree, so self time excludes callees and never exceeds total time.
 * Some fibers move to another thread during a call. A call that begins on one thread
 * and ends on another is shown as one call, even if both threads are recorded.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -pthread
// RUN: %patchbay record -t function_duration -o %t/one -- %t/prog 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning
// RUN: %patchbay report -i %t/one 2>&1 >/dev/null | FileCheck %s --check-prefix=OVERLAP
// RUN: %patchbay graph -i %t/one 2>&1 >/dev/null | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: {{^}}patchbay: {{.*}}one: calls overlap in 1 thread, as calls of fibers do: the time of a call excludes calls on stacks that it resumed{{$}}
// RUN: %patchbay report -i %t/one --json | %python %S/../Inputs/check-fibers.py outer 16 middle 160 inner 320
// RUN: %patchbay record -t function_graph -o %t/graph -- %t/prog 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning
// RUN: %patchbay report -i %t/graph --json 2>%t/said | %python %S/../Inputs/check-fibers.py outer 16 middle 160 inner 320
// RUN: %patchbay record -t function_graph -o %t/moved -- %t/prog move 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning
// RUN: %patchbay report -i %t/moved --json 2>%t/said | %python %S/../Inputs/check-fibers.py --moved outer 16 middle 160 inner 320
// RUN: FileCheck %s --check-prefix=MOVED --implicit-check-not="cut off" < %t/said
// MOVED: {{^}}patchbay: {{.*}}moved: {{[0-9]+}} calls ended in another thread, as calls of fibers do:
/* Some threads only end calls that other threads have begun. These calls count as ended. */
// RUN: %patchbay record -t function_duration --threshold 1h -F outer -F middle -F inner -o %t/short -- %t/prog move often 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not="no return"
// SAID: 1 process recorded
#define _GNU_SOURCE
#include "../Inputs/check.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { FIBERS = 16, TIMES = 10 };

static struct fiber {
	ucontext_t context;
	int done;
	char stack[65536];
} fibers[FIBERS];
static struct fiber *current;
static ucontext_t *home;

#define NOT_TRACED __attribute__((noinline, no_profile_instrument_function))

NOT_TRACED static void yield(void)
{
	swapcontext(&current->context, home);
}

NOT_TRACED static void spin(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ns);
}

OPAQUE int inner(int a)
{
	spin(5000);
	yield();
	return a + 1;
}

OPAQUE int middle(int a)
{
	a = inner(a);
	yield();
	return inner(a);
}

OPAQUE int outer(int a)
{
	for (int i = 0; i < TIMES; i++)
		a = middle(a);
	return a;
}

NOT_TRACED static void run(void)
{
	CHECK_EQ(outer(1), 1 + 2 * TIMES);
	current->done = 1;
	yield();
}

/* Run the fibers in turns, so that all of them are inside calls at the same time. */
OPAQUE void *rounds(void *nr)
{
	ucontext_t here;
	int left = 1;

	home = &here;
	for (int *n = nr; left && (*n)--;) {
		left = 0;
		for (int i = 0; i < FIBERS; i++) {
			current = &fibers[i];
			if (!current->done)
				swapcontext(&here, &current->context);
			left += !current->done;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int is_moving = argc > 1 && !strcmp(argv[1], "move");

	for (int i = 0; i < FIBERS; i++) {
		getcontext(&fibers[i].context);
		fibers[i].context.uc_stack.ss_sp = fibers[i].stack;
		fibers[i].context.uc_stack.ss_size = sizeof(fibers[i].stack);
		makecontext(&fibers[i].context, run, 0);
	}
	/* With "move", run each seven rounds on another thread; with "move often", each round. */
	while (!fibers[FIBERS - 1].done) {
		int nr = !is_moving ? -1 : argc > 2 ? 1 : 7;
		pthread_t thread;

		if (!is_moving) {
			rounds(&nr);
			continue;
		}
		CHECK_EQ(pthread_create(&thread, NULL, rounds, &nr), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
	return 0;
}
