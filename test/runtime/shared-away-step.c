/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A call is stopped between any two instructions, by a debugger's trap. Meanwhile
 * another thread gives its function one more tracer, so that it leaves the cell that
 * it shares with others, and then those, too, another one. Nobody has to wait for
 * the call, which may have found that cell already: but what the others have got
 * since is not called on its behalf.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}stopped: {{[1-9][0-9][0-9]+}}{{$}}

#include "Inputs/check.h"

#include <patchbay/exit.h>

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <ucontext.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED __attribute__((target("general-regs-only")))
#define TRAP_FLAG 0x100

OPAQUE int plum_a(int a) { return a + 1; }
OPAQUE int plum_b(int a) { return a + 2; }
OPAQUE int plum_c(int a) { return a + 3; }
OPAQUE int plum_d(int a) { return a + 4; }
OPAQUE int plum_e(int a) { return a + 5; }

static struct patchbay_ops *of_all, *of_one, *of_others;
static sem_t stopped, changed;
static int stepping, wrong;
static long left, stops;

FAST static void note(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

/* Of those who are on all but plum_a(). */
FAST static void not_a(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)parent_ip, (void)cell, (void)regs;
	wrong += ip == (uintptr_t)plum_a;
}

/* Arming does not wait for handlers. */
NOT_TRACED static void *change(void *arg)
{
	for (;;) {
		sem_wait(&stopped);
		CHECK_EQ(patchbay_arm(of_one, "plum_a", 0), 1);
		CHECK_EQ(patchbay_arm(of_others, "plum_[b-e]", 0), 4);
		sem_post(&changed);
	}
	return arg;
}

NOT_TRACED static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number, (void)info;
	if (!stepping) {
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	} else if (!--left) {
		stops++;
		sem_post(&stopped);
		while (sem_wait(&changed))
			;
	}
}

/* A call that is stopped after @n instructions. False: it has less. */
NOT_TRACED static int call(long n)
{
	int result;

	left = n;
	wrong = 0;
	stepping = 1;
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	result = plum_a(1);
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");
	CHECK_EQ(result, 2);
	CHECK_EQ(wrong, 0);
	return left <= 0;
}

static struct patchbay_ops *make(patchbay_handler handler, patchbay_handler leaving,
				 unsigned int flags)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = flags,
						.handler = handler,
						.exit = leaving };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* Who is on all has @handler and @leaving; the others have these, or not. */
static void step(patchbay_handler handler, patchbay_handler leaving,
		 unsigned int flags)
{
	int more = 1;

	for (long n = 1; more; n++) {
		of_all = make(handler, leaving, flags);
		of_one = make(note, NULL, flags);
		of_others = make(handler ? not_a : NULL, leaving ? not_a : NULL,
				 flags);
		CHECK_EQ(patchbay_arm(of_all, "plum_*", 0), 5);
		more = call(n);
		CHECK_EQ(patchbay_ops_destroy(of_all), 0);
		CHECK_EQ(patchbay_ops_destroy(of_one), 0);
		CHECK_EQ(patchbay_ops_destroy(of_others), 0);
	}
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = on_trap,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };
	pthread_t thread;

	CHECK_EQ(sem_init(&stopped, 0, 0), 0);
	CHECK_EQ(sem_init(&changed, 0, 0), 0);
	CHECK_EQ(pthread_create(&thread, NULL, change, NULL), 0);
	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++) {
		step(note, NULL, flags);
		step(NULL, note, flags);
		step(note, note, flags);
	}
	printf("stopped: %ld\n", stops);
	return 0;
}
