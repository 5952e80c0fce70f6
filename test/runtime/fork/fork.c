/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process forks while other threads arm and call. The child inherits armed functions,
 * can arm and disarm, and changes only its own copy of text.
 */
// RUN: %build %s -o %t %link
// RUN: %t 300 | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int always(int a) { return a; }
OPAQUE int sometimes(int a) { return a; }

static atomic_int stop;
static struct patchbay_ops *ops;

static void *toggler(void *arg)
{
	(void)arg;
	while (!stop) {
		CHECK_EQ(patchbay_arm(ops, "sometimes", 0), 1);
		sometimes(1);
		CHECK_EQ(patchbay_disarm(ops, "sometimes"), 1);
	}
	return NULL;
}

static void *caller(void *arg)
{
	(void)arg;
	while (!stop)
		always(1);
	return NULL;
}

static int child(void)
{
	int armed;

	/* The child has only this thread. */
	calls = 0;
	always(1);
	CHECK_EQ(calls, 1);
	armed = patchbay_arm(ops, "sometimes", 0);
	CHECK(armed == 0 || armed == 1); /* another thread may have armed the function first */
	sometimes(1);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_disarm(ops, "*"), 2);
	always(1);
	sometimes(1);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	pthread_t threads[2];

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "always", 0), 1);
	pthread_create(&threads[0], NULL, toggler, NULL);
	pthread_create(&threads[1], NULL, caller, NULL);
	for (long i = argc > 1 ? atol(argv[1]) : 10; i; i--) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			alarm(patience(600)); /* a deadlock is a failure, not a hang */
			_exit(child());
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	stop = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	calls = 0;
	always(1); /* children have not changed this process's text */
	CHECK_EQ(calls, 1);
	puts("done");
	return 0;
}
