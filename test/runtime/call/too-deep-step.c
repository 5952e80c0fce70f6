/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A call in a handler is counted as missed. At each instruction of this call, a signal
 * handler makes another call. The second call is counted as missed, too: by the tracer,
 * or for the whole process if the tracer cannot be accessed then.
 */
// RUN: %build %s -o %t %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}interrupted at {{[1-9][0-9]+}} moments: all calls seen or missed{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100 };

OPAQUE int traced(int a) { return a + 1; }

static volatile int calls, seen, steps, moment;

static void call(void)
{
	calls++;
	CHECK_EQ(traced(1), 2);
}

__attribute__((no_profile_instrument_function, target("general-regs-only"))) static void
see(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen++;
	raise(SIGUSR1);
}

static void on_step(int signal, siginfo_t *info, void *arg)
{
	ucontext_t *context = arg;

	(void)signal;
	(void)info;
	if (++steps != moment)
		return;
	context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	call();
}

/* Single-steps a call within the handler. */
static void within(int signal)
{
	(void)signal;
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(TRAP_FLAG)
			 : "memory", "cc");
	call();
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~TRAP_FLAG)
			 : "memory", "cc");
}

static int missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return (int)info.nmissed;
}

static int unseen(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return (int)stats.unseen;
}

int main(void)
{
	const struct sigaction nest = { .sa_handler = within,
					.sa_flags = SA_NODEFER };
	const struct sigaction step = { .sa_sigaction = on_step,
					.sa_flags = SA_SIGINFO };
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = see,
	};
	struct patchbay_ops *ops;

	alarm(600); /* a hang is a failure */
	CHECK_EQ(sigaction(SIGUSR1, &nest, NULL), 0);
	CHECK_EQ(sigaction(SIGTRAP, &step, NULL), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	do {
		const int before = missed(ops) + unseen();

		moment++;
		calls = seen = steps = 0;
		call();
		CHECK_EQ(seen, 1);
		CHECK_EQ(seen + missed(ops) + unseen() - before, calls);
	} while (steps >= moment);
	CHECK(missed(ops) && unseen());
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	printf("interrupted at %d moments: all calls seen or missed\n", moment - 1);
	return 0;
}
