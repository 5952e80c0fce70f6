/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `patchbay live` finds the listening thread of a program that has left its network
 * namespace, as daemons without network do. The thread stays in the original namespace.
 * The thread also has another ID outside of the program's PID namespace.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{inside} =
// DEFINE: %{about} = %patchbay live PID
// DEFINE: %{live} = timeout 600 %python %S/../Inputs/while-running.py %{inside} env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function,filter=step,output=%t,live=1 %t/prog -- %{about}
// RUN: %t/prog lacks-net || %{live} 2>&1 | FileCheck %s
// REDEFINE: %{inside} = unshare --pid --fork --kill-child
// REDEFINE: %{about} = sh -c '%patchbay live $(cat /proc/PID/task/PID/children)'
// RUN: %t/prog lacks-net || %{live} 2>&1 | FileCheck %s
// CHECK: {{^}}tracer     entry{{$}}
#include "../Inputs/check.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

OPAQUE void step(void) {}

int main(int argc, char **argv)
{
	const struct timespec wait = { .tv_nsec = 300000000 };

	(void)argv;
	if (argc > 1) {
		if (!unshare(CLONE_NEWNET))
			return 1;
		printf("skipped: unshare(CLONE_NEWNET): %s\n", strerror(errno));
		return 0;
	}
	/* Wait until the listening thread runs. */
	nanosleep(&wait, NULL);
	CHECK_EQ(unshare(CLONE_NEWNET), 0);
	step();
	puts("alone");
	fflush(stdout);
	for (;;)
		pause();
}
