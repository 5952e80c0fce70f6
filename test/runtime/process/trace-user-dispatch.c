/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded program can intercept the system calls of its guest (syscall user
 * dispatch). The recorder makes no system call while the guest runs. Events without
 * space are counted, with the reason.
 */
// RUN: %build %s -o %t -lpthread
// RUN: rm -rf %t.data && %patchbay record -t function -o %t.data -- %t 3000000 | FileCheck %s
// RUN: %patchbay report -i %t.data 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: %patchbay record -t function_graph --live -o %t.data -- %t 300000 | FileCheck %s
// RUN: %patchbay record -t function_graph --args 'guest(n)' -o %t.data -- %t 300000 | FileCheck %s
// RUN: %patchbay record -t count -o %t.data -- %t 300000 | FileCheck %s
// RUN: %patchbay record -t function -o %t.data -- %t 300000 raw | FileCheck %s
/* The kernel reports the interception since Linux 6.4. */
// RUN: %if dispatch-told %{ not %python %S/../Inputs/while-running.py %t await -- sh -c '%patchbay record -o %t.data -p PID -- sleep 0.1' 2>&1 | FileCheck %s --check-prefix=REFUSED %}
// REFUSED: process {{[0-9]+}}: its thread {{[0-9]+}} intercepts its own system calls (PR_SET_SYSCALL_USER_DISPATCH) and would also intercept those of the runtime: start the program with 'patchbay record', which prepares for that
/* A program that only handles SIGSYS is recorded. */
// RUN: %python %S/../Inputs/while-running.py %t handles -- sh -c '%patchbay record -o %t.data -p PID -- sleep 0.1' 2>&1 | FileCheck %s --check-prefix=HANDLES
// HANDLES: 1 process recorded
// CHECK: {{^}}{{3000000|300000}} calls, 0 system calls of the guest{{$}}
// LOST: events were lost: the process had restricted its system calls (seccomp(2), syscall user dispatch) and filled the buffers reserved in advance

#include "../Inputs/check.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

static volatile char selector;
static volatile long shown;

UNTRACED static void show(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	shown++;
}

OPAQUE long leaf(long n)
{
	return n + 1;
}

OPAQUE long guest(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		selector = SYSCALL_DISPATCH_FILTER_BLOCK;
		sum = leaf(sum);
	}
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	return sum;
}

UNTRACED static void await(int dispatch)
{
	if (dispatch)
		CHECK_EQ(prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0,
			       0, &selector), 0);
	puts("ready");
	fflush(stdout);
	for (;;) {
		leaf(1);
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = show, .sa_flags = SA_SIGINFO };
	long sum;

	CHECK(argc > 1);
	CHECK_EQ(sigaction(SIGSYS, &action, NULL), 0);
	if (!strcmp(argv[1], "await") || !strcmp(argv[1], "handles"))
		await(argv[1][0] == 'a');
	/* First make an invalid call, which fails. */
	CHECK(prctl(PR_SET_SYSCALL_USER_DISPATCH, 77, 0, 0, &selector) < 0 &&
	      errno == EINVAL);
	if (argc > 2)
		CHECK_EQ(syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH,
				 PR_SYS_DISPATCH_ON, 0, 0, &selector), 0);
	else
		CHECK_EQ(prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0,
			       0, &selector), 0);
	sum = guest(strtol(argv[1], NULL, 10));
	printf("%ld calls, %ld system calls of the guest\n", sum, shown);
	return 0;
}
