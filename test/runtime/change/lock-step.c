/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library call can be interrupted at any instruction. Signal handlers call the
 * library, or fork, at each instruction at which a signal can arrive. The nested call
 * succeeds, or fails because its own thread is busy, but never waits for its own
 * thread. A child completes the interrupted call.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}interrupted: busy at {{[1-9][0-9]+}} moments, free at {{[1-9][0-9]*}}, children: {{[1-9][0-9]*}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100, FORK_AT = 16 };

static volatile int moments, busy, idle, children, in_child;

static void call_library(void)
{
	int error = patchbay_synchronize();

	CHECK(!error || error == -EDEADLK);
	busy += error == -EDEADLK;
	idle += !error;
}

static void on_step(int signal, siginfo_t *info, void *arg)
{
	ucontext_t *context = arg;
	pid_t child;
	int status;

	(void)signal;
	(void)info;
	/* If SIGUSR1 is blocked here, no ordinary signal can arrive. */
	if (sigismember(&context->uc_sigmask, SIGUSR1))
		return;
	call_library();
	if (++moments % FORK_AT)
		return;
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		in_child = 1;
		alarm(600);
		call_library();
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	children++;
}

static void set_trap_flag(void)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

static void clear_trap_flag(void)
{
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~TRAP_FLAG)
			 : "memory", "cc");
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = on_step,
					  .sa_flags = SA_SIGINFO };
	int error;

	alarm(600); /* a hang is a failure */
	CHECK_EQ(patchbay_synchronize(), 0);
	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	set_trap_flag();
	error = patchbay_synchronize();
	clear_trap_flag();
	CHECK_EQ(error, 0);
	CHECK_EQ(patchbay_synchronize(), 0);
	if (in_child)
		_exit(0);
	printf("interrupted: busy at %d moments, free at %d, children: %d\n",
	       busy, idle, children);
	return 0;
}
