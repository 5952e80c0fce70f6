/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that is recorded by -p stores its events in memory of `patchbay record`,
 * like a program that the command starts. A snapshot contains all earlier events. After
 * the recording no buffer stays mapped.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{call} = kill -USR1 PID && while ! test -e done; do sleep 0.01; done
// DEFINE: %{look} = grep -c memfd:patchbay /proc/PID/maps
// DEFINE: %{inside} = { %{call}; %{look}; %patchbay live PID --snapshot snapshot; } > inside 2>&1
// DEFINE: %{record} = %patchbay record -t function_duration -F step -o out

// RUN: cd %t && %python %S/../Inputs/while-running.py ./prog -- sh -c "%{record} -p PID -- sh -c \"%{inside}\"; %{look} || true" | FileCheck %s --check-prefix=AFTER
// AFTER: {{^}}0{{$}}
// RUN: FileCheck %s --check-prefix=INSIDE < %t/inside
// INSIDE: {{^}}1{{$}}
// RUN: %patchbay report %t/out | FileCheck %s
// RUN: %patchbay report %t/snapshot | FileCheck %s
// CHECK: {{^ *}}400000 {{.*}} step{{$}}

/*
 * If `patchbay record` is killed, the process writes the remaining events itself, and
 * the recording ends.
 */
// RUN: rm -rf %t/done %t/out
// RUN: cd %t && %python %S/../Inputs/while-running.py ./prog -- sh %S/../Inputs/kill-visitor.sh PID %patchbay %S/../Inputs/wait-for.sh

#include "../Inputs/check.h"

#include <signal.h>
#include <unistd.h>

#define NR 400000 /* 10 MB of events */

OPAQUE void step(void)
{
	__asm__ volatile("");
}

int main(void)
{
	sigset_t wanted;
	int got;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	puts("started");
	fflush(stdout);
	sigwait(&wanted, &got);
	for (int i = 0; i < NR; i++)
		step();
	fclose(fopen("done", "w"));
	pause();
	return 0;
}
