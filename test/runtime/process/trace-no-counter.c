/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that disables the time-stamp counter for itself continues as if untraced.
 * function_profile still counts calls. Recordings that need times end, and a message
 * says so. Threads and children inherit the setting. Programs that it executes inherit
 * the setting, too, but fail to start, because glibc's loader reads the counter.
 */
// RUN: %build %s -o %t -lpthread
// RUN: %patchbay record -t count -o %t.data -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: %patchbay record -t function -o %t.data -- %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SAID
// RUN: %patchbay record -t function_duration --live -o %t.data -- %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SAID
// RUN: %patchbay record -t function_graph --args 'leaf(x)' -o %t.data -- %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SAID
// RUN: %patchbay record --histogram -o %t.data -- %t raw 2>&1 | FileCheck %s --check-prefixes=CHECK,SAID
/*
 * The program's filter kills on every system call that the program itself does not
 * make.
 */
// RUN: %patchbay record -t function_duration -o %t.data -- %t filter 2>&1 | FileCheck %s --check-prefixes=FILTER,SAID
// RUN: %patchbay record -t function -o %t.data -- %t filter 2>&1 | FileCheck %s --check-prefixes=FILTER,SAID
// RUN: %patchbay record -t function_graph --args 'leaf(x)' -o %t.data -- %t filter 2>&1 | FileCheck %s --check-prefixes=FILTER,SAID
// RUN: %patchbay record -t count -o %t.data -- %t filter 2>&1 | FileCheck %s --check-prefix=FILTER
// RUN: %patchbay report -f calls,name -i %t.data 2>&1 | FileCheck %s --check-prefix=COUNTED
// FILTER: {{^}}200{{$}}
// COUNTED: {{^ *}}200 leaf
/* The filter refuses to disable the counter, so recording continues. */
// RUN: %patchbay record -t function_duration -o %t.data -- %t refused 2>&1 | FileCheck %s --check-prefix=FILTER --implicit-check-not="nothing was recorded"
// RUN: %patchbay report -f calls,name -i %t.data 2>&1 | FileCheck %s --check-prefix=COUNTED
// CHECK: {{^}}303, child 1{{$}}
// SAID: {{1 process was|2 processes were}} not recorded after seccomp(2)'s strict mode or PR_SET_TSC forbade the clock: -t count counts calls without the clock
// COUNTS: {{^ *}}304 {{(.* )?}}leaf

#include "../Inputs/check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE long leaf(long x)
{
	return x + 1;
}

static void *count(void *sum)
{
	for (int i = 0; i < 100; i++)
		*(long *)sum = leaf(*(long *)sum);
	return NULL;
}

static int run(int argc, char **argv)
{
	pthread_t thread;
	long sum = 0;
	pid_t child;
	int status;

	count(&sum);
	CHECK(prctl(PR_SET_TSC, 77) < 0 && errno == EINVAL);
	if (argc > 1 && !strcmp(argv[1], "raw"))
		CHECK_EQ(syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	else
		CHECK_EQ(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	count(&sum);
	/* The thread and the child inherit the setting. */
	CHECK_EQ(pthread_create(&thread, NULL, count, &sum), 0);
	pthread_join(thread, NULL);
	child = fork();
	if (!child)
		_exit((int)leaf(0));
	waitpid(child, &status, 0);
	for (int i = 0; i < 3; i++)
		sum = leaf(sum);
	printf("%ld, child %d\n", sum, WEXITSTATUS(status));
	return 0;
}

/*
 * @then is the filter's result for PR_SET_TSC. Unlisted system calls kill the process.
 */
static void restrict_calls(unsigned int then)
{
	static char buffer[4096];
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 2, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, then),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	CHECK_EQ(setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)), 0);
	printf("%s", "");
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static int run_filtered(int refused)
{
	long sum = 0;

	count(&sum);
	restrict_calls(refused ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW);
	if (refused)
		CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0 && errno == EPERM);
	else
		CHECK_EQ(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	count(&sum);
	sum += printf("%ld\n", sum);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "filter") || !strcmp(argv[1], "refused")))
		return run_filtered(!strcmp(argv[1], "refused"));
	return run(argc, argv);
}
