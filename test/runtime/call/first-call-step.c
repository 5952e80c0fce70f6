/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler makes a traced call while its thread makes its first traced call.
 * Each new thread is interrupted at another instruction of its first call. Either call
 * may create the thread's reader. Both calls are seen or counted as missed. The library
 * waits for the thread only while the thread is in a handler.
 */
// RUN: %build %s -o %t %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}interrupted at {{[1-9][0-9]+}} moments: all calls seen or missed{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100 };

OPAQUE int traced(int a) { return a + 1; }

static atomic_int seen;

#define NOT_TRACED __attribute__((no_profile_instrument_function))

NOT_TRACED __attribute__((target("general-regs-only"))) static void
see(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen++;
}

/*
 * The next thread is interrupted after @moment instructions; @steps counts its
 * instructions so far.
 */
static volatile int moment, steps;

static void on_step(int signal, siginfo_t *info, void *arg)
{
	ucontext_t *context = arg;

	(void)signal;
	(void)info;
	if (++steps != moment)
		return;
	context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	CHECK_EQ(traced(1), 2);
}

static void *call(void *arg)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(TRAP_FLAG)
			 : "memory", "cc");
	traced(1);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~TRAP_FLAG)
			 : "memory", "cc");
	CHECK_EQ(patchbay_synchronize(), 0);
	return arg;
}

/*
 * Number of missed calls: their signals arrived while the first call was in its
 * handler.
 */
static int missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return (int)(info.nmissed + stats.unseen);
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = on_step,
					  .sa_flags = SA_SIGINFO };
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = see,
	};
	struct patchbay_ops *ops;

	alarm(600); /* a hang is a failure */
	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	do {
		pthread_t thread;

		steps = 0;
		moment++;
		CHECK_EQ(pthread_create(&thread, NULL, call, NULL), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		CHECK_EQ(patchbay_synchronize(), 0);
	} while (steps >= moment);
	/* The last thread was not interrupted, so it made only one call. */
	CHECK_EQ(seen + missed(ops), 2 * moment - 1);
	CHECK(seen > moment);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	printf("interrupted at %d moments: all calls seen or missed\n", moment - 1);
	return 0;
}
