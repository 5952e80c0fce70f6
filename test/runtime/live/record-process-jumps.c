/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that leaves a signal handler by siglongjmp() may skip the code that loads
 * the runtime. The command then reports the reason, and the program continues.
 */
// RUN: %build %s -o %t
// RUN: rm -rf %t.data
// RUN: %python %S/../Inputs/while-running.py %t -- sh -c 'for i in 1 2 3; do %patchbay record -t count -F step -p PID -o %t.data -- true 2> %t.said || grep "siglongjmp" %t.said || exit; grep -q "State:.[RS]" /proc/PID/status || exit; done'
#include "../Inputs/check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static sigjmp_buf start;

OPAQUE void step(void) {}

static void leave(int number)
{
	(void)number;
	siglongjmp(start, 1);
}

int main(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } };

	CHECK(signal(SIGALRM, leave) != SIG_ERR);
	puts("runs");
	fflush(stdout);
	if (!sigsetjmp(start, 1))
		CHECK(!setitimer(ITIMER_REAL, &often, NULL));
	for (;;)
		step();
}
