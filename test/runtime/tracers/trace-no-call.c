/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If functions were traced, but none of their calls was recorded, a message lists
 * possible reasons. Timed calls can make a recursion overflow the stack. If the program
 * is then killed, the message says so.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// DEFINE: %{record} = cd %t && prlimit --core=0 --stack=2097152 %patchbay record
// DEFINE: %{report} = cd %t && %{status} 1 %patchbay report
// RUN: prlimit --stack=2097152 %t/prog
// RUN: %{status} 139 sh -c "%{record} -t function_duration -F recursion -- ./prog" 2>&1 | FileCheck %s --check-prefix=KILLED
//      KILLED:{{^}}patchbay: ./prog: killed by SIGSEGV: Segmentation fault{{$}}
// KILLED-NEXT:{{^}}patchbay: a timed call uses 300 to 850 bytes more stack: if a deep recursion overflowed it, use --depth or -N, or raise ulimit -s{{$}}
// RUN: %{report} 2>&1 | FileCheck %s
// RUN: %{report} --html page.html 2>&1 | FileCheck %s
// RUN: cd %t && %{status} 1 %patchbay graph 2>&1 | FileCheck %s --implicit-check-not=function{{$}}
// RUN: cd %t && %{status} 1 %patchbay replay 2>&1 | FileCheck %s --implicit-check-not=CALLTIME
// CHECK:{{^}}patchbay: error: patchbay.data: no call was recorded of the 1 function that was traced: none was made, or none returned, for example because the program was killed in its first calls; -t graph without --threshold shows calls that did not return{{$}}
/* The message's advice works. Counts need no message. */
// RUN: %{record} -t function_duration -F recursion --depth 3 -- ./prog 2>&1 | FileCheck %s --check-prefix=DONE --implicit-check-not=stack
// RUN: %{record} -t count -F recursion -- ./prog 2>&1 | FileCheck %s --check-prefix=DONE --implicit-check-not=stack
// DONE: 1 process recorded
// RUN: %{status} 139 sh -c "%{record} -t count -F recursion -- ./prog crash" 2>&1 | FileCheck %s --check-prefix=CRASHED --implicit-check-not=stack
// CRASHED: killed by SIGSEGV

// RUN: %{record} -t function_graph --threshold 100s --thread 'prog*' -- ./prog shallow
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: no call was recorded of the 3 functions that were traced: none was made by a selected thread, or none took 100.000 s, or none returned,
// RUN: %{record} -t function -F never -- ./prog
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: no call was recorded of the 1 function that was traced: none was made{{$}}

/* A message says that no process has called the function of --start-at. */
// DEFINE: %{start} = %{record} -t function_duration -F main
// RUN: %{start} --start-at never -- ./prog 2>&1 | FileCheck %s --check-prefix=START
//      START: {{^}}patchbay: warning: patchbay.data: no event was recorded: the function of --start-at was not called{{$}}
// START-NEXT: 1 process recorded
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=NOT-CALLED
// NOT-CALLED: no call was recorded of the 1 function that was traced: the function of --start-at was not called{{$}}
// RUN: %{start} --start-at recursion -- ./prog 2>&1 | FileCheck %s --check-prefix=DONE --implicit-check-not=warning
// RUN: %{start} --start-at recursion -- ./prog fork 2>&1 | FileCheck %s --check-prefix=FORKED --implicit-check-not=warning
// FORKED: 2 processes recorded
#include "../Inputs/check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE long recursion(long n)
{
	return n ? recursion(n - 1) + 1 : 0;
}

OPAQUE void never(void)
{
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long levels;

	if (!strcmp(what, "crash"))
		raise(SIGSEGV);
	if (!strcmp(what, "none"))
		never();
	/* Only the child calls the function of --start-at. */
	if (!strcmp(what, "fork")) {
		pid_t child = fork();
		int status;

		if (child) {
			CHECK_EQ(waitpid(child, &status, 0), child);
			CHECK_EQ(status, 0);
			return 0;
		}
	}
	levels = strcmp(what, "shallow") ? 15000 : 10;
	CHECK_EQ(recursion(levels), levels);
	return 0;
}
