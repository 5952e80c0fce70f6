/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A child can use the library if a signal handler forked at any point inside the
 * library while another thread arms and disarms. The child never waits for a lock
 * without an owner.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: forks {{[1-9][0-9]*}}, of which hung: 0

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FORKS = 1500, SECONDS = 3 };

#define NOT_TRACED __attribute__((no_profile_instrument_function))

OPAQUE int traced(int a) { return a + 1; }

static atomic_int stop;
static volatile sig_atomic_t is_child, nr_forks;
static pid_t children[FORKS];

NOT_TRACED static void handler(uintptr_t ip, uintptr_t parent_ip,
			       const struct patchbay_cell *cell,
			       struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

NOT_TRACED static void on_signal(int number)
{
	pid_t child;

	(void)number;
	if (is_child || nr_forks == FORKS)
		return;
	child = fork();
	if (!child)
		is_child = 1;
	else if (child > 0)
		children[nr_forks++] = child;
}

NOT_TRACED static void *armer(void *ops)
{
	while (!stop) {
		CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
		CHECK_EQ(patchbay_disarm(ops, "traced"), 1);
	}
	return NULL;
}

NOT_TRACED static void use_library(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	if (is_child)
		_exit(patchbay_get_stats(&stats) != 0);
}

/* Only the main thread receives signals. */
NOT_TRACED static pthread_t start_armer(struct patchbay_ops *ops)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	CHECK_EQ(pthread_create(&thread, NULL, armer, ops), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return thread;
}

/* Counts children that are still running some seconds after the last one started. */
NOT_TRACED static int count_hung(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int hung = 0;

	for (int i = 0; i < nr_forks; i++) {
		pid_t over = 0;
		int status;

		for (int tries = 0; !over && tries < (hung ? 1 : 3000); tries++) {
			over = waitpid(children[i], &status, WNOHANG);
			if (!over)
				nanosleep(&pause, NULL);
		}
		if (!over) {
			kill(children[i], SIGKILL);
			waitpid(children[i], &status, 0);
			hung++;
		}
	}
	return hung;
}

NOT_TRACED int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_RESTART };
	const struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR1 };
	time_t end = time(NULL) + SECONDS;
	struct patchbay_ops *ops;
	pthread_t thread;
	timer_t timer;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	thread = start_armer(ops);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK_EQ(timer_settime(timer, 0, &often, NULL), 0);
	while ((time(NULL) < end || !nr_forks) && nr_forks < FORKS)
		use_library();
	CHECK_EQ(timer_delete(timer), 0);
	use_library(); /* a child of the last signal ends here */
	stop = 1;
	pthread_join(thread, NULL);
	printf("forks %d, of which hung: %d\n", (int)nr_forks, count_hung());
	return 0;
}
