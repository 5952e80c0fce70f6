/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If functions cost too much, handlers wake the listening thread without creating a
 * descriptor: otherwise another thread could get a descriptor other than the lowest
 * free one. A parent process traces each system call of the calling thread.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so 'PATCHBAY=tracer=function_profile,filter=hot_*,output=%t,live=1,max-overhead=0.01%%,call-cost=1000' timeout 600 %t/prog | FileCheck %s
// CHECK-NOT: system call
// CHECK: {{^}}woken{{$}}
#include "../Inputs/check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE void hot_1(void) {}
OPAQUE void hot_2(void) {}
OPAQUE void hot_3(void) {}
OPAQUE void hot_4(void) {}

/* A function that is disabled before it has made enough calls does not wake the thread. */
static void (*const functions[])(void) = { hot_1, hot_2, hot_3, hot_4 };

static void call_all(int times)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		for (int n = 0; n < times; n++)
			functions[i]();
}

static void be_watched(void)
{
	/* The first call creates all state that later calls need. */
	call_all(1);
	CHECK_EQ(ptrace(PTRACE_TRACEME, 0, NULL, NULL), 0);
	raise(SIGSTOP);
	call_all(1 << 16);
	/* The parent stops tracing at this system call. */
	getppid();
	_exit(0);
}

/* Returns the number of the system call that the thread is about to make, or -1. */
static long number_of(pid_t child)
{
	struct __ptrace_syscall_info info;

	CHECK_EQ(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) > 0, 1);
	return info.op == PTRACE_SYSCALL_INFO_ENTRY ? (long)info.entry.nr : -1;
}

int main(void)
{
	int status, nr_wakes = 0, is_over = 0;
	pid_t child = fork();

	CHECK_EQ(child >= 0, 1);
	if (!child)
		be_watched();
	CHECK_EQ(waitpid(child, &status, __WALL), child);
	CHECK_EQ(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, 1);
	CHECK_EQ(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD), 0);
	while (!is_over) {
		CHECK_EQ(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
		CHECK_EQ(waitpid(child, &status, __WALL), child);
		CHECK_EQ(WSTOPSIG(status), SIGTRAP | 0x80);
		switch (number_of(child)) {
		case -1:
		case SYS_getpid:
			break;
		case SYS_getppid:
			is_over = 1;
			break;
		case SYS_tgkill:
			nr_wakes++;
			break;
		default:
			printf("system call %ld\n", number_of(child));
		}
	}
	CHECK_EQ(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	CHECK_EQ(waitpid(child, &status, __WALL), child);
	CHECK_EQ(WIFEXITED(status) && !WEXITSTATUS(status), 1);
	puts(nr_wakes ? "woken" : "no thread was woken");
	return 0;
}
