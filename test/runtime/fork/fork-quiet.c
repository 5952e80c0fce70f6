/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a process has no SIGCHLD handler, children that end immediately after a fork wake
 * no waiting thread. A thread that waits for SIGCHLD is notified of each child.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: {{^}}woken for nothing: 0 times by 50 children{{$}}
// CHECK-NEXT: {{^}}told of 50 children{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 50 };

static int interrupted, event, poller;

OPAQUE int traced(int a) { return a; }

/*
 * Runs before fork() returns in the parent, and gives the child time to end. Fork
 * handlers of the parent run in the order of registration (pthread_atfork(3)). A
 * function in .preinit_array registers this one before constructors of libraries
 * register theirs.
 */
static void linger(void)
{
	usleep(5000);
}

static void be_first(void)
{
	pthread_atfork(NULL, linger, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) =
	be_first;

static void *wait_long(void *arg)
{
	struct epoll_event ready;

	while (epoll_wait(poller, &ready, 1, -1) < 0) {
		CHECK_EQ(errno, EINTR);
		interrupted++;
	}
	return arg;
}

static pid_t child(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		_exit(0);
	return pid;
}

static void nobody_handles(void)
{
	struct epoll_event readable = { .events = EPOLLIN };
	pthread_t thread;

	event = eventfd(0, 0);
	poller = epoll_create1(0);
	CHECK_EQ(epoll_ctl(poller, EPOLL_CTL_ADD, event, &readable), 0);
	pthread_create(&thread, NULL, wait_long, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = child();

		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	CHECK_EQ(eventfd_write(event, 1), 0);
	pthread_join(thread, NULL);
	printf("woken for nothing: %d times by %d children\n", interrupted,
	       CHILDREN);
}

/*
 * The thread waits as for signalfd(2): the signal is blocked and has its default
 * action.
 */
static void somebody_waits(void)
{
	const struct timespec long_enough = { .tv_sec = 10 };
	sigset_t wanted;
	int told = 0;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = child();

		told += sigtimedwait(&wanted, NULL, &long_enough) == SIGCHLD;
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	printf("told of %d children\n", told);
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	nobody_handles();
	somebody_waits();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
