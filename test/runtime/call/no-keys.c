/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library works even if it is not notified when threads end, because the program
 * has used up the C library's thread-specific keys. The library waits for handlers in
 * which a thread is running, but not for handlers left by siglongjmp(). Threads that
 * jumped are still traced.
 */
// RUN: %build %s -o %t %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK:      {{^}}left: not waited for, 10 of 10 calls seen afterwards
// CHECK-NEXT: {{^}}left often: 1000 of 1000 seen or missed, not waited for
// CHECK-NEXT: {{^}}left, and the thread ended: not waited for
// CHECK-NEXT: {{^}}interrupted: waited for
// CHECK-NEXT: {{^}}called all the time: not waited for
// CHECK-NEXT: {{^}}forked in it: waited for by no other thread
// CHECK-NEXT: {{^}}a hundred threads: waited for
// CHECK-NEXT: {{^}}done

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 40, OFTEN = 1000, MANY = 100 };

OPAQUE int traced(int a) { return a + 1; }

#define NOT_TRACED __attribute__((no_profile_instrument_function))

/* Runs before libpatchbay creates its key. */
static void take_keys(void)
{
	pthread_key_t key;

	for (int i = 0; i < KEYS; i++)
		CHECK_EQ(pthread_key_create(&key, NULL), 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const before)(
	void) = take_keys;

static enum { SEE, LEAVE, STAY, FORK } what;
static atomic_int seen, arrived, let_go, stop;
static __thread sigjmp_buf back;
static struct patchbay_ops *ops;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static int wait_for_all(void)
{
	int error;

	patchbay_set_wait_limit(300);
	error = patchbay_synchronize();
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	return error;
}

/* In the child, only the thread that forked is still in the handler. */
NOT_TRACED static void fork_here(void)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (!child)
		return;
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

NOT_TRACED static void see(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen++;
	if (what == LEAVE) {
		raise(SIGUSR1);
	} else if (what == STAY) {
		arrived++;
		while (!let_go)
			usleep(100);
	} else if (what == FORK) {
		what = SEE;
		fork_here();
	}
}

static uint64_t missed(void)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.nmissed;
}

NOT_TRACED __attribute__((noinline)) static void use_stack(void)
{
	char room[60000];

	memset(room, 0x55, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void left(void)
{
	what = LEAVE;
	if (!sigsetjmp(back, 1))
		traced(1);
	what = SEE;
	seen = 0;
	/*
	 * No other thread exists, and this one is outside of handlers, whatever its
	 * reader says.
	 */
	CHECK_EQ(wait_for_all(), 0);
	for (int i = 0; i < 10; i++)
		traced(i);
	printf("left: not waited for, %d of 10 calls seen afterwards\n", seen);
}

static void left_often(void)
{
	const uint64_t before = missed();

	seen = 0;
	what = LEAVE;
	for (volatile int i = 0; i < OFTEN; i++)
		if (!sigsetjmp(back, 1))
			traced(i);
	what = SEE;
	use_stack();
	CHECK_EQ(wait_for_all(), 0);
	printf("left often: %d of %d seen or missed, not waited for\n",
	       seen + (int)(missed() - before), OFTEN);
}

NOT_TRACED static void *leave_and_end(void *arg)
{
	if (!sigsetjmp(back, 1))
		traced(1);
	use_stack();
	return arg;
}

static void run(void *(*function)(void *))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, function, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* More threads than there are marks jump out of a handler, one after the other. */
static void left_and_ended(void)
{
	what = LEAVE;
	for (int i = 0; i < MANY; i++)
		run(leave_and_end);
	what = SEE;
	CHECK_EQ(wait_for_all(), 0);
	puts("left, and the thread ended: not waited for");
}

static void *call(void *arg)
{
	CHECK_EQ(traced(1), 2);
	return arg;
}

static void stay_in(pthread_t *threads, int nr)
{
	arrived = let_go = 0;
	what = STAY;
	for (int i = 0; i < nr; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, call, NULL), 0);
	while (arrived < nr)
		usleep(100);
	what = SEE;
	CHECK_EQ(wait_for_all(), -ETIMEDOUT);
}

static void go_on(pthread_t *threads, int nr)
{
	let_go = 1;
	for (int i = 0; i < nr; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK_EQ(wait_for_all(), 0);
}

static void *call_on(void *arg)
{
	while (!stop)
		traced(1);
	return arg;
}

/* At any time some thread is in a handler, but each stays only for a short time. */
static void called_all_the_time(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, call_on, NULL), 0);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(patchbay_synchronize(), 0);
	stop = 1;
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	puts("called all the time: not waited for");
}

static void forked(void)
{
	const pid_t parent = getpid();
	pthread_t threads[1];

	stay_in(threads, 1);
	what = FORK;
	traced(1);
	if (getpid() != parent)
		_exit(wait_for_all() != 0);
	go_on(threads, 1);
	puts("forked in it: waited for by no other thread");
}

int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = see };
	const struct sigaction action = { .sa_handler = leave };
	pthread_t threads[MANY];

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(600); /* a hang is a failure */
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	left();
	left_often();
	left_and_ended();
	stay_in(threads, 1);
	puts("interrupted: waited for");
	go_on(threads, 1);
	called_all_the_time();
	forked();
	stay_in(threads, MANY);
	puts("a hundred threads: waited for");
	go_on(threads, MANY);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
