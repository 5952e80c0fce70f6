/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If the process has no free descriptor when a thread starts or needs more space, the
 * thread's calls are lost. Calls after a descriptor is free again are recorded. Here,
 * the descriptor limit is set from outside (unlike in trace-daemon.c).
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: ulimit -n 64; cd %t && %patchbay record -t function -F step -o data -- ./prog 2>&1 | FileCheck %s --check-prefix=LOST
// LOST-NOT: not traced
// LOST: data: 10 events were lost: the file could not grow: Too many open files
// LOST-NOT: not traced
// RUN: cd %t && not %patchbay report -f calls,name data 2>/dev/null | FileCheck %s
// CHECK: {{^ *}}1001 step
#include "../Inputs/check.h"

#include <pthread.h>
#include <unistd.h>

OPAQUE void step(void) {}

static void *begin_without(void *arg)
{
	int last, first = dup(STDIN_FILENO), next;

	CHECK(first >= 0);
	for (last = first; (next = dup(STDIN_FILENO)) >= 0; last = next)
		;
	for (int i = 0; i < 10; i++)
		step();
	for (int fd = first; fd <= last; fd++)
		close(fd);
	for (int i = 0; i < 1000; i++)
		step();
	return arg;
}

int main(void)
{
	pthread_t thread;

	step();
	CHECK(!pthread_create(&thread, NULL, begin_without, NULL));
	CHECK(!pthread_join(thread, NULL));
	return 0;
}
