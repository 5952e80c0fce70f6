/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program with a seccomp filter that allows all system calls. With "thread", a thread
 * other than the first one installs the filter.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	return n + 1;
}

static void *restrict_and_wait(void *arg)
{
	struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { 1, &code };

	if (counted(0) != 1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		abort();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc == 1)
		restrict_and_wait(NULL);
	if (pthread_create(&thread, NULL, restrict_and_wait, NULL))
		abort();
	for (;;)
		pause();
}
