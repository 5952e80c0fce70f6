/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A fork waits while the listening thread works, for at most a tenth of a second, even
 * if each sleep takes longer than requested. A fork does not wait in a handler that
 * interrupts a fork, nor in a child of clone(2), which has no listening thread. A
 * listening thread that works all the time lets waiting forks go first between two
 * works, unless a signal handler has left these forks by siglongjmp().
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I %patchbay_include -I %patchbay_source/runtime -I %patchbay_source/runtime/trace %s %patchbay_source/runtime/trace/system/fork_lock.c -o %t -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}naps: right
// CHECK: {{^}}nested: right
// CHECK: {{^}}clone: right
// CHECK: {{^}}turns: right
// CHECK: {{^}}left: right
#include "system/fork_lock.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of_forks(int nr)
{
	const double before = now();

	for (int i = 0; i < nr; i++) {
		pb_fork_prepare();
		pb_fork_parent();
	}
	return now() - before;
}

static int is_quick_in_clone(void)
{
	const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (!child)
		_exit(seconds_of_forks(100) >= 5);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static int turns, is_over;

/* Works for a millisecond at a time, without a pause. */
static void *work(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		const double until = now() + 0.001;

		pb_fork_work();
		__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		while (now() < until)
			;
		pb_fork_worked();
	}
	return arg;
}

/*
 * Does a waiting fork go first soon? The worker then has one or two turns, otherwise
 * ten.
 */
static int has_its_turn(void)
{
	pthread_t worker;
	int nr = 0, before;

	if (pthread_create(&worker, NULL, work, NULL))
		return 0;
	for (int i = 0; i < 50; i++) {
		while (__atomic_load_n(&turns, __ATOMIC_RELAXED) < 2 * i)
			usleep(1000);
		before = __atomic_load_n(&turns, __ATOMIC_RELAXED);
		pb_fork_prepare();
		nr += __atomic_load_n(&turns, __ATOMIC_RELAXED) - before;
		pb_fork_parent();
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	return !pthread_join(worker, NULL) && nr < 100;
}

static sigjmp_buf before_fork;

static void leave(int sig)
{
	(void)sig;
	siglongjmp(before_fork, 1);
}

/*
 * A signal handler leaves a sleeping fork. After that, a thousand works must be quick.
 */
static int is_quick_after_left_fork(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	double since;

	signal(SIGALRM, leave);
	pb_fork_work();
	if (!sigsetjmp(before_fork, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;) {
			pb_fork_prepare();
			pb_fork_parent();
		}
	}
	pb_fork_worked();
	since = now();
	for (int i = 0; i < 1000; i++) {
		pb_fork_work();
		pb_fork_worked();
	}
	return now() - since < 50;
}

static const char *word(int is_right)
{
	return is_right ? "right" : "WRONG";
}

int main(void)
{
	double took;

	/* With this timer slack, a thousand sleeps would take 20 seconds. */
	prctl(PR_SET_TIMERSLACK, 20000000, 0, 0, 0);
	pb_fork_work();
	took = seconds_of_forks(1);
	printf("naps: %s\n", word(took >= 0.1 && took < 5));
	pb_fork_worked();

	pb_fork_prepare();
	pb_fork_work();
	printf("nested: %s\n", word(seconds_of_forks(100) < 5));
	pb_fork_parent();

	printf("clone: %s\n", word(is_quick_in_clone()));
	prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
	printf("turns: %s\n", word(has_its_turn()));
	printf("left: %s\n", word(is_quick_after_left_fork()));
	return 0;
}
