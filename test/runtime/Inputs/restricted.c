/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that has a filter of system calls, which lets all of them pass. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	return n + 1;
}

int main(void)
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
}
