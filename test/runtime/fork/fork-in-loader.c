/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A child can create tracers, arm, call, and read statistics, even if the parent called
 * fork() while another thread was in dl_iterate_phdr(). In the child, the loader's lock
 * is then held for ever.
 */
// RUN: %build %s -o %t %link -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}the child: 3 calls counted, status 0{{$}}

#include "../Inputs/count-calls.h"
#include "../Inputs/loader-lock.h"

#include <sys/wait.h>
#include <unistd.h>

OPAQUE int traced(int a) { return a + 1; }

static int child(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_stats stats = { .size = sizeof(stats) };
	struct patchbay_ops *ops;

	alarm(patience(600)); /* ends a child that waits for the lock */
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(traced(i), i + 1);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(patchbay_disarm(ops, "traced"), 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	printf("the child: %d calls counted, ", (int)calls);
	fflush(stdout);
	return 0;
}

int main(void)
{
	int status;
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	take_loader_lock();
	pid = fork();
	if (!pid)
		_exit(child());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	printf("status %d\n", status);
	leave_loader_lock();
	return 0;
}
