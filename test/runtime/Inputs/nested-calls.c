/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls outer() 200 times, which calls middle() 100 times, which calls leaf() 10 times.
 * With RESTRICTED, a filter that allows all system calls is in force.
 */
#ifdef RESTRICTED
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#endif

#define NOINLINE __attribute__((noinline))

NOINLINE void leaf(void)
{
	__asm__ volatile("");
}

NOINLINE void middle(void)
{
	for (int i = 0; i < 10; i++)
		leaf();
	__asm__ volatile("");
}

NOINLINE void outer(void)
{
	for (int i = 0; i < 100; i++)
		middle();
	__asm__ volatile("");
}

int main(void)
{
#ifdef RESTRICTED
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog filter = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 1;
#endif
	for (int i = 0; i < 200; i++)
		outer();
	return 0;
}
