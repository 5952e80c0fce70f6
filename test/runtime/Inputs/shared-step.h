/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For tests of shared cells that stop a call of plum_a() at each of its instructions:
 * functions that can share a cell, and the single-step trap.
 */
#ifndef TEST_SHARED_STEP_H
#define TEST_SHARED_STEP_H

#include "check.h"

#include <patchbay/exit.h>

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
OPAQUE int peach_a(int a) { return a + 6; }
OPAQUE int peach_b(int a) { return a + 7; }
OPAQUE int peach_c(int a) { return a + 8; }
OPAQUE int peach_d(int a) { return a + 9; }
OPAQUE int peach_e(int a) { return a + 10; }

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

static int stepping;
static void (*at_step)(void);

NOT_TRACED static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number, (void)info;
	if (!stepping)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	else
		at_step();
}

/* Calls @func at each instruction of a call. */
static void step_by(void (*func)(void))
{
	const struct sigaction action = { .sa_sigaction = on_trap,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };

	at_step = func;
	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
}

NOT_TRACED static void step_through(void)
{
	int result;

	stepping = 1;
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	result = plum_a(1);
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");
	CHECK_EQ(result, 2);
}

#endif /* TEST_SHARED_STEP_H */
