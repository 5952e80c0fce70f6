/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What libpatchbay does for libpatchbay-trace when a thread ends that has made
 * traced calls: one function is called, in the thread, once, with signals
 * blocked; what the thread calls after it is traced all the same.
 */
// RUN: %build -I %patchbay_source/runtime/core %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "Inputs/check.h"
#include "Inputs/count-calls.h"

#include <private.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>

OPAQUE int traced(int a) { return a; }

static __thread int own, retired_before;
static int retired, of_others, unblocked;
static pthread_key_t early, late;

static void retire(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	unblocked += !sigismember(&now, SIGUSR1);
	of_others += !own;
	retired++;
	retired_before = 1;
	traced(1); /* no lock is held */
}

static void other(void) {}

static void destroy(void *arg)
{
	sigset_t now;

	traced(1);
	/* Destructors are called several times, if they ask for it. */
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
	/* The thread's own, in retire(), and in two rounds of destructors. */
	CHECK_EQ(calls, 10 * 4);
	CHECK_EQ(patchbay_ops_destroy(ops), 0); /* waits for nobody */
	puts("done");
	return 0;
}
