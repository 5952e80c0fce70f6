/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A vfork(2) child shares its parent's memory, but not its threads. The child's calls
 * do not use the buffers and clocks of the parent's threads, and leave no data there.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{calls} = %patchbay dump --csv %t/patchbay.data | cut -d, -f4,9 | sort | uniq -c | sed 's/  *//' | FileCheck %s --match-full-lines --implicit-check-not={{.}} --check-prefix
// RUN: cd %t && %patchbay record -t function -- ./prog
// RUN: %{calls}=CALLS
// CALLS: 10 other,step
// CALLS: 3 prog,step
// CALLS: 1 thread,function
// RUN: cd %t && %patchbay record --histogram -- ./prog
// RUN: %patchbay report --json %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED: "calls": 13,
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time -- ./prog naps
// RUN: %patchbay dump --chrome %t/patchbay.data > %t/json && %python %S/../Inputs/sleep-times.py %t/json | FileCheck %s --check-prefix=AWAKE
// AWAKE: naps: 2 calls of 4 to 20 ms, elapsed 50 ms and more
//
// The parent's thread has recorded nothing, so the child's calls are lost, with a message.
// RUN: cd %t && %patchbay record -t function -F step -- ./prog early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: cd %t && %patchbay record --histogram -F step -- ./prog early 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: 5 events of forked children were lost: the children could not create a file, or were started by vfork() in a thread that had recorded nothing{{$}}
//
// A child may restrict its system calls before its parent has recorded anything. The
// parent has its own file, and continues to record.
// RUN: cd %t && %patchbay record -t function -- ./prog restricts > %t/child
// RUN: %{calls}=FIRST
// FIRST: 1000 prog,step
// FIRST: 1 thread,function
// RUN: sh -c 'test -f %t/patchbay.data/$(cat %t/child).pbd'
#include "../Inputs/check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

static pthread_barrier_t barrier;

OPAQUE static void step(void) {}

OPAQUE static void naps(void)
{
	const struct timespec wait = { .tv_nsec = 50000000 };
	struct timespec start, now;

	nanosleep(&wait, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000l + now.tv_nsec -
		       start.tv_nsec < 5000000);
}

UNTRACED static void *ten_steps(void *arg)
{
	pthread_setname_np(pthread_self(), "other");
	for (int i = 0; i < 10; i++)
		step();
	return arg;
}

UNTRACED static void *nap_twice(void *arg)
{
	naps();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	naps();
	return arg;
}

UNTRACED static void step_in_child(void)
{
	int status;
	pid_t child = vfork();

	if (!child) {
		step();
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

UNTRACED static void restrict_calls(void)
{
	struct sock_filter filter = BPF_STMT(BPF_RET | BPF_K,
					     SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &filter };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

UNTRACED static void wait_for(pid_t child)
{
	int status;

	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

/* Runs in a child, because the parent has a file from its start. */
UNTRACED static int restricts(void)
{
	pid_t child = fork(), grandchild;

	if (!child) {
		grandchild = vfork();
		if (!grandchild) {
			restrict_calls();
			_exit(0);
		}
		wait_for(grandchild);
		for (int i = 0; i < 1000; i++)
			step();
		printf("%d\n", getpid());
		fflush(stdout);
		_exit(0);
	}
	wait_for(child);
	return 0;
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t id;

	if (argc > 1 && !strcmp(argv[1], "restricts"))
		return restricts();
	for (int i = 0; argc > 1 && !strcmp(argv[1], "early"); i++) {
		if (i == 5)
			return 0;
		step_in_child();
	}
	if (argc > 1) {
		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&id, NULL, nap_twice, NULL);
		pthread_barrier_wait(&barrier);
		step_in_child();
		pthread_barrier_wait(&barrier);
		pthread_join(id, NULL);
		return 0;
	}
	/*
	 * The child makes this thread's first call; the thread itself makes the later ones.
	 */
	step_in_child();
	step();
	pthread_create(&id, NULL, ten_steps, NULL);
	pthread_join(id, NULL);
	step();
	/* The child uses this thread's buffer, which exists by now. */
	step_in_child();
	return 0;
}
