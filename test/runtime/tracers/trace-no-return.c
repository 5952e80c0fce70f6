/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A message states how many timed calls did not return, because function_duration does not
 * show them. __builtin_longjmp() leaves some of these calls, even in threads that have
 * ended. Others are running at the end. The test covers each tracer that times calls.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration -o one -- ./prog
// RUN: %patchbay report -f calls,name one >%t/calls 2>%t/said
// RUN: FileCheck %s --check-prefix=SHOWN < %t/calls
// RUN: FileCheck %s < %t/said
// SHOWN-DAG: 100 guarded
// SHOWN-DAG: 50 ended
// SHOWN-NOT: {{[0-9]}} {{callee|caller|words}}
// CHECK: one: 301 calls have no return and are not shown: running at the end of the recording, left without return or exception (with record -p also by longjmp()), or their function was disarmed: record -t graph shows such calls
/* If all calls return, there is no message. */
// RUN: %patchbay record -t function_duration -o none -- ./prog return
// RUN: %patchbay report none 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not="no return"
// NONE: guarded
/* Tracers that only count entries also report the number. */
// DEFINE: %{by} =
// DEFINE: %{nr} =
// DEFINE: %{how} =
// DEFINE: %{count} = %patchbay record %{by} -o by -- ./prog %{how} 2>&1 | FileCheck %s --check-prefix=BY -DNR=%{nr}
// BY: by: [[NR]] calls have no return and are not shown
// REDEFINE: %{nr} = 301
// REDEFINE: %{by} = -t function_graph --threshold 1h
// RUN: %{count}
// REDEFINE: %{by} = -t function_graph --threshold 1h --args words
// RUN: %{count}
// REDEFINE: %{by} = -t function_graph --threshold 1h --depth 8
// RUN: %{count}
// REDEFINE: %{by} = -t function_graph --threshold 1h --no-sleep-time
// RUN: %{count}
// REDEFINE: %{by} = -t function_duration --depth 8
// RUN: %{count}
// REDEFINE: %{by} = -t function_duration --no-sleep-time
// RUN: %{count}
// REDEFINE: %{by} = -t function_duration --args 'callee(x)'
// RUN: %{count}
// REDEFINE: %{by} = -t function_profile --histogram --no-sleep-time
// RUN: %{count}
/*
 * --sample 1/2 records every second call of guarded(), with the three calls inside it.
 */
// REDEFINE: %{nr} = 150
// REDEFINE: %{by} = -t function_duration --sample 1/2 -N main -N ended
// RUN: %{count}
// REDEFINE: %{by} = -t function_duration --sample 1/2 -N main -N ended --args words
// RUN: %{count}
// REDEFINE: %{by} = -t function_graph --threshold 1h --sample 1/2 -N main -N ended
// RUN: %{count}
// REDEFINE: %{nr} = 300
// REDEFINE: %{by} = -t function_duration --under ended
// RUN: %{count}
/* -t graph shows all calls, so there is no message. */
// RUN: %patchbay record -t function_graph -o graph -- ./prog 2>&1 | FileCheck %s --check-prefix=GRAPH --implicit-check-not="no return"
// GRAPH: 1 process recorded in graph
/* The number is reported even if the process ends without destructors. */
// REDEFINE: %{nr} = 301
// REDEFINE: %{by} = -t function_duration
// REDEFINE: %{how} = _exit
// RUN: %{count}
// REDEFINE: %{how} = _Exit
// RUN: %{count}
// REDEFINE: %{how} = quick_exit
// RUN: %{count}
// REDEFINE: %{how} = syscall
// RUN: %{count}
// REDEFINE: %{how} = exec
// RUN: %{count}
/*
 * A killed process cannot report the number. A process whose exec(3) fails continues.
 */
// RUN: not %patchbay record -t function_duration -o killed -- ./prog kill 2>&1 | FileCheck %s --check-prefix=KILLED --implicit-check-not="have no return"
// RUN: %patchbay report killed 2>&1 | FileCheck %s --check-prefix=KILLED
// KILLED: killed: 1 process had not ended, was ended by a signal (as by --for), or had restricted system calls: calls without a return are unknown there
#include "../Inputs/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread void *place[5];
static int returns;

/* A function with a result in a vector register takes the general path. */
OPAQUE double words(double x)
{
	if (!returns)
		__builtin_longjmp(place, 1);
	return x;
}

OPAQUE int callee(int x)
{
	return (int)words(x) + 1;
}

OPAQUE int caller(int a, int b, int c, int d, int e, int f)
{
	return callee(a) + b + c + d + e + f;
}

OPAQUE int guarded(int i)
{
	if (__builtin_setjmp(place))
		return i;
	return caller(i, 1, 2, 3, 4, 5) - 15 - 1;
}

OPAQUE void *ended(void *of)
{
	for (int i = 0; i < 2; i++)
		CHECK(guarded(i) == i);
	return of;
}

__attribute__((no_profile_instrument_function)) static void end(const char *how)
{
	char *const argv[] = { "true", NULL };

	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "_Exit"))
		_Exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "syscall"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(how, "exec"))
		execvp("true", argv);
	if (!strcmp(how, "kill")) {
		CHECK(execv("/nowhere", argv) < 0);
		raise(SIGKILL);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	returns = !strcmp(how, "return");
	for (int i = 0; i < 50; i++) {
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, ended, NULL));
		CHECK(!pthread_join(thread, NULL));
	}
	if (!returns)
		end(how);
	return 0;
}
