/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `record -p` without --follow reports that child processes are not recorded, even if
 * the process forks them during the recording.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// DEFINE: %{record} = %patchbay record -t count -o %t/data -p PID
// DEFINE: %{running} = %python %S/../Inputs/while-running.py %t/prog
// RUN: cd %t && %{running} early -- sh -c '%{record} -- true' 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: {{^}}patchbay: child processes are not recorded (at least 2): --follow records children{{$}}
// TWO-NOT: not recorded
// RUN: cd %t && %{running} late -- sh -c '%{record} -- sh -c "kill -USR1 PID; until grep -q . /proc/PID/task/PID/children; do sleep 0.01; done"' 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: {{^}}patchbay: child processes are not recorded (at least 1): --follow records children{{$}}
/* Without children or with --follow, the command prints no message. */
// RUN: cd %t && %{running} late -- sh -c '%{record} -- true' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: cd %t && %{running} early -- sh -c '%{record} --follow -- true' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: records children
// NONE: recorded in
#include "../Inputs/check.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t is_wanted;
static void want(int signal) { is_wanted = signal; }
static void fork_child(void)
{
	const pid_t child = fork();

	CHECK(child >= 0);
	while (!child)
		pause();
}

OPAQUE int work(int a) { return a + 1; }

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	signal(SIGUSR1, want);
	if (!strcmp(argv[1], "early")) {
		fork_child();
		fork_child();
	}
	puts("ready");
	fflush(stdout);
	for (int n = 0;; n = work(n)) {
		if (is_wanted) {
			is_wanted = 0;
			fork_child();
		}
		usleep(1000);
	}
}
