/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `record -p` refuses a process that may not read the time-stamp counter, because the
 * runtime's reads would kill the process. The process continues.
 */
// REQUIRES: host-x86_64
// RUN: %build %s -o %t
// RUN: rm -rf %t.data
// RUN: %python %S/../Inputs/while-running.py %t -- sh -c '%patchbay record -p PID -o %t.data -- true; echo status $?; sleep 0.1; test ! -e %t.data && grep State: /proc/PID/status' 2>&1 | FileCheck %s
// CHECK: {{^}}patchbay: error: process {{[0-9]+}}: its thread {{[0-9]+}} may not read the time-stamp counter (PR_SET_TSC), which the runtime reads: start the program with 'patchbay record', which detects that{{$}}
// CHECK-NEXT: {{^}}status 125{{$}}
// CHECK-NEXT: {{^}}State:{{.*}} S (sleeping){{$}}
#include "../Inputs/check.h"

#include <linux/prctl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

OPAQUE void traced(void) {}

int main(void)
{
	CHECK(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
	puts("runs");
	fflush(stdout);
	for (;;) {
		traced();
		pause();
	}
}
