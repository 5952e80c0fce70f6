/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profiler's signal may arrive at any instruction between the call of an armed
 * function and its return: in the site, trampolines, handlers or body. A stack trace at
 * each instruction finds the callers. A debugger process single-steps the test and
 * sends a signal at each step.
 */
// RUN: %build -static %s -o %t %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t | FileCheck %s
// CHECK: {{^}}unwound at {{[1-9][0-9]+}} instructions, and not at 0{{$}}
/* With an exit handler, execution also passes the `ret` before the function's entry. */
// RUN: %t exit | FileCheck %s
// RUN: %t exit-any | FileCheck %s
// RUN: %t timed | FileCheck %s
// RUN: %t dropped | FileCheck %s
// RUN: %t several | FileCheck %s
// RUN: %t several-exits | FileCheck %s
/* The runs above use the library's trampolines; the next ones use the program's own. */
// RUN: %build %s -o %t.shared -Wl,-z,now %link
// RUN: %t.shared | FileCheck %s
// RUN: %t.shared exit | FileCheck %s
// RUN: %t.shared exit-any | FileCheck %s
// RUN: %t.shared timed | FileCheck %s
// RUN: %t.shared dropped | FileCheck %s
// RUN: %t.shared several | FileCheck %s
// RUN: %t.shared several-exits | FileCheck %s

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

OPAQUE static int traced(int a) { return a; }
OPAQUE static int caller(int a) { return traced(a) + 1; }
OPAQUE static int outermost(int a) { return caller(a) + 1; }

static volatile int calls;
static int expected = 2;
static volatile bool *unwound; /* shared by both processes */

/* Without atomics: an atomic loop would never end in single steps. */
static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls = calls + 1;
}

static bool is_in(uintptr_t pc, int (*function)(int))
{
	return _Unwind_FindEnclosingFunction((void *)pc) == (void *)function;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *arg)
{
	uintptr_t return_address = _Unwind_GetIP(context);
	int *found = arg;

	if (*found == 0 && is_in(return_address - 1, caller))
		*found = 1;
	else if (*found == 1 && is_in(return_address - 1, outermost))
		*found = 2;
	return _URC_NO_REASON;
}

static void on_signal(int number)
{
	int found = 0;

	(void)number;
	_Unwind_Backtrace(frame, &found);
	*unwound = found == 2;
	kill(getpid(), SIGSTOP);
}

static int debugged(void)
{
	signal(SIGUSR1, on_signal);
	CHECK_EQ(outermost(7), 9); /* the first call of a thread takes another path */
	CHECK_EQ(ptrace(PTRACE_TRACEME, 0, 0, 0), 0);
	kill(getpid(), SIGSTOP);
	CHECK_EQ(outermost(8), 10);
	CHECK_EQ(calls, expected);
	return 0;
}

static uintptr_t pc_of(pid_t pid)
{
#ifdef __powerpc64__
	struct pt_regs regs;
#else
	struct user_regs_struct regs;
#endif
	struct iovec all = { &regs, sizeof(regs) };

	CHECK_EQ(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all), 0);
#if defined(__x86_64__)
	return regs.rip;
#elif defined(__aarch64__)
	return regs.pc;
#elif defined(__powerpc64__)
	return regs.nip;
#endif
}

/* Returns false when the process has exited successfully. */
static bool resume(pid_t pid, int request, int number)
{
	int status;

	CHECK_EQ(ptrace(request, pid, 0, number), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status) ? WSTOPSIG(status) != SIGSEGV : !status);
	return WIFSTOPPED(status);
}

/*
 * The argument selects an exit handler, a threshold, or several tracers. With "dropped", no
 * call reaches the threshold. With "exit-any", handlers may use all registers.
 */
int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	int status, good = 0, bad = 0, nr = 1;
	uint64_t threshold = 0;
	struct patchbay_ops *ops;
	bool between = false;
	pid_t pid;

	if (argc > 1) {
		attr.exit = handler;
		attr.flags = strcmp(argv[1], "exit-any") ? PATCHBAY_OPS_FAST : 0;
		expected *= 2;
	}
	if (argc > 1 && !strncmp(argv[1], "several", 7))
		nr = 3;
	if (argc > 1 && !strcmp(argv[1], "several-exits")) {
		attr.handler = NULL;
		expected /= 2;
	}
	if (argc > 1 && !strcmp(argv[1], "timed")) {
		attr.handler = NULL;
		attr.threshold = &threshold;
		expected /= 2;
	}
	if (argc > 1 && !strcmp(argv[1], "dropped")) {
		attr.handler = NULL;
		attr.threshold = &threshold;
		threshold = UINT64_MAX;
		expected = 0;
	}
	unwound = mmap(NULL, sizeof(*unwound), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	expected *= nr;
	while (nr--) {
		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	}
	pid = fork();
	if (!pid)
		_exit(debugged());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status));
	while (resume(pid, PTRACE_SINGLESTEP, 0)) {
		uintptr_t pc = pc_of(pid);

		between = pc == (uintptr_t)traced || (between && !is_in(pc, caller));
		if (!between)
			continue;
		*unwound = false;
		CHECK(resume(pid, PTRACE_CONT, SIGUSR1));
		if (!*unwound)
			printf("not unwound at %#lx\n", (long)pc);
		*unwound ? good++ : bad++;
		/* Resume until sigreturn has returned to the interrupted instruction. */
		while (pc_of(pid) != pc)
			CHECK(resume(pid, PTRACE_SYSCALL, 0));
	}
	printf("unwound at %d instructions, and not at %d\n", good, bad);
	return 0;
}
