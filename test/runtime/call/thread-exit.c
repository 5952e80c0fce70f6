/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When a thread that made traced calls ends, libpatchbay calls one function of
 * libpatchbay-trace: in that thread, once, with signals blocked. Later calls of that
 * thread are still traced. Threads end in any order, and a wait for handlers still
 * finds the remaining threads.
 */
// RUN: %build -I %patchbay_source/runtime/core %s -o %t %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <system/private.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

OPAQUE int traced(int a) { return a; }

static __thread int own, retired_before;
static int retired, of_others, unblocked;
static pthread_key_t early, late;
static struct patchbay_ops *waits;

static void retire(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	unblocked += !sigismember(&now, SIGUSR1);
	of_others += !own;
	__atomic_fetch_add(&retired, 1, __ATOMIC_SEQ_CST);
	retired_before = 1;
	traced(1); /* no lock is held */
}

static void other(void) {}

static void destroy(void *arg)
{
	sigset_t now;

	traced(1);
	/* The C library calls a destructor again if the destructor sets its key. */
	if (arg != &own)
		pthread_setspecific(early, &own);
	else if (!retired_before)
		of_others++;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	unblocked += 100 * sigismember(&now, SIGUSR1);
}

static void *thread(void *calls)
{
	own = 1;
	pthread_setspecific(late, calls);
	if (calls)
		traced(1);
	return NULL;
}

static void run(void *calls)
{
	pthread_t started;

	CHECK_EQ(pthread_create(&started, NULL, thread, calls), 0);
	CHECK_EQ(pthread_join(started, NULL), 0);
}

/*
 * Threads end in the order in which they started, in reverse order, and in random
 * order. At the same time other threads start, and one thread waits for all handlers.
 */
#define THREADS 120

static volatile int last; /* threads up to this number may end */

static void *ends_in_turn(void *arg)
{
	int turn = (int)(intptr_t)arg;

	own = 1;
	traced(1);
	while (last < turn)
		usleep(50);
	return NULL;
}

static void end_in_order(int of(int))
{
	static pthread_t threads[THREADS];

	last = -1;
	for (int i = 0; i < THREADS; i++) {
		CHECK_EQ(pthread_create(&threads[i], NULL, ends_in_turn,
					(void *)(intptr_t)of(i)), 0);
		if (i == THREADS / 2)
			last = THREADS / 4;
	}
	for (int i = THREADS / 4; i < THREADS; i++) {
		last = i;
		CHECK_EQ(patchbay_ops_disable(waits), 0);
		CHECK_EQ(patchbay_ops_enable(waits), 0);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static int first_first(int i) { return i; }
static int last_first(int i) { return THREADS - 1 - i; }
static int mixed(int i) { return i * 7 % THREADS; }

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(pb_private_at_thread_exit(retire), 0);
	CHECK_EQ(pb_private_at_thread_exit(other), -EBUSY);
	CHECK_EQ(pthread_key_create(&early, destroy), 0);
	CHECK_EQ(pthread_key_create(&late, destroy), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);

	run(NULL); /* makes no traced call */
	CHECK_EQ(retired, 0);
	for (int i = 1; i <= 10; i++) {
		run(&own + 1);
		CHECK_EQ(retired, i);
	}
	CHECK_EQ(of_others, 0);
	CHECK_EQ(unblocked, 0);
	/* The calls of each thread: in retire(), and in two rounds of destructors. */
	CHECK_EQ(calls, 10 * 4);
	CHECK_EQ(patchbay_ops_destroy(ops), 0); /* does not wait for any thread */

	retired = 0;
	CHECK_EQ(patchbay_ops_create(&attr, &waits), 0);
	CHECK_EQ(patchbay_arm(waits, "traced", 0), 1);
	for (int i = 1; i <= 5; i++) {
		end_in_order(first_first);
		end_in_order(last_first);
		end_in_order(mixed);
		CHECK_EQ(retired, 3 * i * THREADS);
	}
	CHECK_EQ(of_others, 0);
	CHECK_EQ(patchbay_ops_destroy(waits), 0);
	puts("done");
	return 0;
}
