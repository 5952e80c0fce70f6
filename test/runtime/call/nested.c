/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler interrupts a tracer's handler and makes calls. These calls are
 * counted as missed, and no handler is called for them. After siglongjmp() has left the
 * tracer's handler and its frame was overwritten, handlers are called again, and the
 * library waits for them.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK:      {{^}}within one that was left: waited for
// CHECK-NEXT: {{^}}and interrupted by many calls: waited for
// CHECK-NEXT: {{^}}within each other: 1 called, 1 missed
// CHECK-NEXT: {{^}}within each other: 1 called, 1 missed
// CHECK-NEXT: {{^}}within one that goes on: 0 called, 100 missed
// CHECK-NEXT: {{^}}done

#include "../Inputs/check.h"

#include <errno.h>
#include <patchbay/patchbay.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

OPAQUE int outer(int a) { return a + 1; }
OPAQUE int inner(int a) { return a + 2; }

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS
#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)
#define IGNORE_ARGUMENTS (void)ip, (void)parent_ip, (void)cell, (void)regs

static struct patchbay_ops *create(patchbay_handler handler, unsigned int flags,
				   const char *function)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = flags,
		.handler = handler,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, function, 0), 1);
	return ops;
}

static uint64_t missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.nmissed;
}

/* What the handler of outer() does. */
static void (*in_outer)(void);

NOT_TRACED HANDLER(see_outer)
{
	IGNORE_ARGUMENTS;
	if (in_outer)
		in_outer();
}

static sigjmp_buf back;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void raise_usr1(void) { raise(SIGUSR1); }

/* The handler of inner() runs until the test releases it. */
static atomic_int arrived, let_go, calls_made;
static pid_t tid;

FAST HANDLER(stay)
{
	IGNORE_ARGUMENTS;
	arrived = 1;
	while (!let_go)
		;
}

#define USE(room) __asm__ volatile("" : : "r"(room) : "memory")

/* Calls from a much deeper stack address than other code, in another page. */
NOT_TRACED __attribute__((noinline)) static void call_deep(void)
{
	char room[40000];

	USE(room);
	outer(1);
	USE(room);
}

NOT_TRACED __attribute__((noinline)) static void use_stack(void)
{
	char room[60000];

	memset(room, 0x55, sizeof(room));
	USE(room);
}

NOT_TRACED static void *leave_and_call(void *arg)
{
	tid = (pid_t)syscall(SYS_gettid);
	in_outer = raise_usr1;
	if (!sigsetjmp(back, 1))
		call_deep();
	in_outer = NULL;
	use_stack();
	/* The library examines the stack only once in many calls. */
	while (!arrived)
		CHECK_EQ(inner(1), 3);
	return arg;
}

/* Makes enough calls for the library to examine the stack. */
static void call_often(int signal)
{
	(void)signal;
	for (int i = 0; i < 200; i++)
		outer(i);
	calls_made = 1;
}

static void within_left_one(int interrupt)
{
	struct patchbay_ops *left = create(see_outer, 0, "outer");
	struct patchbay_ops *staying = create(stay, PATCHBAY_OPS_FAST, "inner");
	struct patchbay_stats stats = { .size = sizeof(stats) };
	pthread_t thread;

	arrived = let_go = calls_made = 0;
	pthread_create(&thread, NULL, leave_and_call, NULL);
	while (!arrived)
		usleep(100);
	if (interrupt)
		pthread_kill(thread, SIGUSR2);
	while (interrupt && !calls_made)
		usleep(100);
	patchbay_set_wait_limit(200);
	CHECK_EQ(patchbay_ops_destroy(staying), -ETIMEDOUT);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.waited_for, tid);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	let_go = 1;
	CHECK_EQ(patchbay_ops_destroy(staying), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(patchbay_ops_destroy(left), 0);
}

static volatile int called, interrupts;

FAST HANDLER(be_interrupted)
{
	IGNORE_ARGUMENTS;
	called++;
	if (interrupts)
		raise(SIGUSR2);
}

static void call_inner(int signal)
{
	(void)signal;
	CHECK_EQ(inner(1), 3);
}

static void within_each_other(struct patchbay_ops *ops)
{
	const uint64_t before = missed(ops);

	called = 0;
	interrupts = 1;
	CHECK_EQ(inner(1), 3);
	interrupts = 0;
	printf("within each other: %d called, %d missed\n", called,
	       (int)(missed(ops) - before));
	/* The library has freed all marks. */
	CHECK_EQ(inner(1), 3);
	CHECK_EQ(called, 2);
}

/*
 * Jumps out of the handler a hundred times, as a profiler does after an invalid read.
 */
static void call_and_be_left(void)
{
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(back, 1)) {
			inner(i);
			raise(SIGUSR1);
		}
}

static void left_within(void)
{
	struct patchbay_ops *outside = create(see_outer, 0, "outer");
	struct patchbay_ops *ops = create(be_interrupted, PATCHBAY_OPS_FAST, "inner");

	called = 0;
	in_outer = call_and_be_left;
	CHECK_EQ(outer(1), 2);
	printf("within one that goes on: %d called, %d missed\n", called,
	       (int)missed(ops));
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(outside), 0);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	const struct sigaction action = { .sa_handler = handler,
					  .sa_flags = flags };

	CHECK_EQ(sigaction(signal, &action, NULL), 0);
}

int main(void)
{
	struct patchbay_ops *ops;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(patience(600)); /* a hang is a failure */
	handle(SIGUSR1, leave, 0);
	within_left_one(0);
	puts("within one that was left: waited for");
	handle(SIGUSR2, call_often, 0);
	within_left_one(1);
	puts("and interrupted by many calls: waited for");
	handle(SIGUSR2, call_inner, SA_NODEFER);
	ops = create(be_interrupted, PATCHBAY_OPS_FAST, "inner");
	within_each_other(ops);
	within_each_other(ops);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	left_within();
	puts("done");
	return 0;
}
