/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --why records the causes of slow calls: the callers, found with unwind tables, and
 * the off-CPU times with their reasons, as far as the kernel reports them.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -fomit-frame-pointer %s -o %t/prog %link
// RUN: %plain %S/../Inputs/refuse.c -o %t/refuse
// DEFINE: %{check} = %patchbay dump --json > json && %patchbay info > info && %python %S/../Inputs/check-why.py json info
// RUN: cd %t && %patchbay record -t function_duration --why 40ms -- ./prog
// RUN: cd %t && %{check} | FileCheck %s
// CHECK: naps: off for 45 ms or more, called from middle, outer, main
// CHECK: reads: off for 45 ms or more, called from middle, outer, main
// CHECK: spins: off for less than it took, called from middle, outer, main
// CHECK: quick: nothing
/*
 * Causes are recorded together with arguments, a depth limit, exceptions, and the graph
 * tracer.
 */
// RUN: cd %t && %patchbay record -t function_duration --why 40ms --args 'naps' --args 'reads' -- ./prog
// RUN: cd %t && %{check} | FileCheck %s
// RUN: cd %t && %patchbay record -t function_graph --depth 8 --why 40ms -- ./prog
// RUN: cd %t && %{check} | FileCheck %s
/* Without perf_event_open(2) only a lower bound of the off-CPU time is known. */
// RUN: cd %t && ./refuse %patchbay record -t function_duration --why 40ms -- ./prog
// RUN: cd %t && %{check} | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILTERED --input-file %t/info
// FILTERED: why slow {{[0-9]+}} call{{s?}} of at least 40.000 ms; a lower bound of the off-CPU time, no waits: the process began with a filter of system calls{{$}}
/* A user who may not read kernel events sees the off-CPU time without the reason. */
// RUN: cd %t && %python %S/../Inputs/without-perfmon.py %patchbay record -t function_duration --why 40ms -- ./prog
// RUN: cd %t && %{check} | FileCheck %s
// RUN: FileCheck %s --check-prefix=UNPRIVILEGED --input-file %t/info
// UNPRIVILEGED: why slow {{.*}} of at least 40.000 ms{{.*}}; {{each wait, without its cause|a lower bound of the off-CPU time, no waits}}: perf_event_open(2) was refused: {{Permission denied|Operation not permitted}}{{$}}
/* Causes are recorded for a running process, too. */
// RUN: cd %t && %python %S/../Inputs/record-running.py %patchbay ./prog -t function_duration --why 40ms
// RUN: cd %t && %patchbay dump --json > json && %python %S/../Inputs/check-why.py --some json naps
/* Each verb shows the causes. */
// RUN: cd %t && %patchbay record -t function_duration --why 40ms -F naps -- ./prog && %patchbay replay --nested=false | FileCheck %s --check-prefix=REPLAY
// REPLAY: | naps{{$}}
// REPLAY-NEXT: /* off-CPU for {{(at least )?}}{{[0-9.]+}} ms of {{[0-9.]+}} ms
// REPLAY: <stack trace>
// REPLAY-NEXT: => middle+0x
// REPLAY-NEXT: => outer+0x
// REPLAY-NEXT: => main+0x
/* Trampolines never appear as callers, whichever module has them. */
// RUN: %build -fomit-frame-pointer -DTRACED_CALLERS %s -o %t/traced-callers %link
// RUN: cd %t && %patchbay record -o traced -t function_duration --why 40ms -F naps -F middle -F outer -- ./traced-callers && %patchbay replay --nested=false traced | FileCheck %s --check-prefix=TRACED
// TRACED: | naps{{$}}
// TRACED: <stack trace>
// TRACED-NEXT: => middle+0x
// TRACED-NEXT: => outer+0x
// TRACED-NEXT: => main+0x
/* The time for recording a cause is known, and excluded from the callers' times. */
// RUN: cd %t && %patchbay report --json traced > report.json
// RUN: cd %t && %python -c 'import json; print(*("taken out" for f in json.load(open("report.json"))["functions"] if f["name"] == "outer" and f["measured_ns"] - f["total_ns"] > 5000))' | FileCheck %s --check-prefix=COST
// COST: {{^}}taken out{{$}}
// RUN: cd %t && %patchbay report | FileCheck %s --check-prefix=REPORT
// REPORT: why calls were slow:
// REPORT: calls total off-CPU function waited for called from
// REPORT-NEXT: 3 {{[0-9.]+}} ms {{(>= )?}}{{[0-9.]+}}% naps {{.*}}middle+0x
// RUN: cd %t && %patchbay report --json | FileCheck %s --check-prefix=JSON
// JSON: "slow": {
// JSON-NEXT: "calls": 3,
// JSON: "off_cpu_ns": {{[1-9]}}
// RUN: cd %t && %patchbay outliers -f naps --slower 60ms | FileCheck %s --check-prefix=OUTLIERS
// OUTLIERS: duration began thread cause why
// OUTLIERS-NEXT: ms {{.*}} naps off-CPU for
/* On short lines the longest wait is still complete. */
// RUN: cd %t && %python %S/../Inputs/in-terminal.py 60 %patchbay outliers -f naps --slower 60ms | FileCheck %s --check-prefix=NARROW
// NARROW: off-CPU for {{[^.]*[0-9]+\.[0-9]+ ms of [0-9]+\.[0-9]+ ms(: [^.,]+[0-9]+\.[0-9]+ [num]?s( and [0-9]+ more)?)?$}}
// RUN: cd %t && %patchbay dump --chrome | %python -c "import json, sys; print([e['args']['stack'][0][:6] for e in json.load(sys.stdin)['traceEvents'] if e['ph'] == 'X'])" | FileCheck %s --check-prefix=CHROME
// CHROME: ['middle', 'middle', 'middle']
// RUN: cd %t && %patchbay dump --perfetto | grep -a -o -E 'off_cpu_ns|off-CPU for|middle[+]0x' | FileCheck %s --check-prefix=PERFETTO
// PERFETTO: off_cpu_ns
// PERFETTO-NEXT: off-CPU for
// PERFETTO-NEXT: middle+0x
/* The stack is longer than the recorded part. */
// RUN: cd %t && %patchbay record -t function_duration --why 40ms -F naps -- ./prog deep && %patchbay replay --nested=false | FileCheck %s --check-prefix=DEEP
// DEEP: => deeper+0x
// DEEP: => ... (the rest of the stack was not copied)
/*
 * Causes use only the space of the buffer. --overwrite keeps the newest causes; older
 * calls lose theirs.
 */
// RUN: cd %t && %patchbay record -t function_duration --why 1us -F tiny --buffer 4K -- ./prog many && %patchbay info | FileCheck %s --check-prefix=FULL
// FULL: why slow 16 call{{s?}} of at least 1.000 us; no data of 84 other{{s?}} (no space, no permission, or --max-overhead);
// RUN: cd %t && %patchbay record -t function_duration --why 1us -F tiny --buffer 64K --overwrite -- ./prog many && %patchbay dump --json > json && %python %S/../Inputs/check-why.py --last json && %patchbay info | FileCheck %s --check-prefix=AGAIN
// AGAIN: why slow 100 calls of at least 1.000 us, {{[1-9][0-9]}} of them overwritten; {{each|least}}
/* Causes count against the limit for all threads, and use at most half of that limit. */
// RUN: cd %t && %patchbay record -t function_duration --why 1us -F tiny --max-memory 1M -- ./prog many && %patchbay info | FileCheck %s --check-prefix=MEMORY
// MEMORY: why slow 27 call{{s?}} of at least 1.000 us; no data of 73 other{{s?}} (no space, no permission, or --max-overhead);
// RUN: cd %t && %patchbay record -o without -t function_duration -F tiny -- ./prog many && %patchbay report --diff without 2>&1 | FileCheck %s --check-prefix=DIFF
// DIFF: were recorded with different options, {{.*}}: why: none / 1.000 us or more{{$}}
/* Recording causes stays within the overhead limit. */
// RUN: cd %t && %patchbay record -t function_duration --why 1us -F tiny --max-overhead 0.01% -- ./prog many && %patchbay info | FileCheck %s --check-prefix=OVERHEAD
// OVERHEAD: why slow {{[1-9][0-9]?}} call{{s?}} of at least 1.000 us; no data of {{[1-9][0-9]?}} other{{s?}} (no space, no permission, or --max-overhead);
/* Forked children record their own causes. */
// RUN: cd %t && %patchbay record -t function_duration --why 40ms -F naps -- ./prog forks && %patchbay dump --json > json && %python %S/../Inputs/check-why.py --processes json
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: %{status} 125 %patchbay record -t count --why 1ms -- %t/prog 2>&1 | FileCheck %s --check-prefix=TRACER
// TRACER: error: --why is for duration and graph: choose one with -t{{$}}
// RUN: %{status} 125 %patchbay record -t function_duration --why 0 -- %t/prog 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --why: '0' is not a duration of at least 1ns, such as 10ms{{$}}
// RUN: %{status} 125 %patchbay record -t function_graph --no-sleep-time --why 1ms -- %t/prog 2>&1 | FileCheck %s --check-prefix=SLEEP
// SLEEP: error: --why cannot be combined with --no-sleep-time: leave out one of them{{$}}
// RUN: cd %t && env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so 'PATCHBAY=tracer=function,filter=*,output=.,why=1ms' ./prog many 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
// ENVIRONMENT: patchbay: error: PATCHBAY: why is for duration and graph; nothing is traced
// RUN: cd %t && env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so 'PATCHBAY=tracer=function_graph,filter=*,output=.,why=x' ./prog many 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: patchbay: error: PATCHBAY: why='x' is not a duration of at least 1ns, such as 10ms; nothing is traced
#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function, noinline))
#ifdef TRACED_CALLERS
#define CALLER __attribute__((noinline))
#else
#define CALLER UNTRACED
#endif

static int fds[2];
static _Atomic int is_reading;

__attribute__((noinline)) void naps(int ms)
{
	const struct timespec wait = { .tv_nsec = ms * 1000000l };

	nanosleep(&wait, NULL);
}

__attribute__((noinline)) void reads(int fd)
{
	char byte;

	is_reading = 1;
	CHECK(read(fd, &byte, 1) == 1);
}

UNTRACED static long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000l + now.tv_nsec;
}

__attribute__((noinline)) void spins(int ms)
{
	long start = cpu_ns();

	while (cpu_ns() - start < ms * 1000000l)
		;
}

__attribute__((noinline)) void quick(int n)
{
	__asm__ volatile("" ::"r"(n));
}

__attribute__((noinline)) void tiny(int n)
{
	spins(0);
	usleep((useconds_t)n);
}

/* Only unwind tables, and no register, have the size of these frames. */
CALLER void middle(int what, int size)
{
	char room[96];

	memset(room, what, sizeof(room));
	__asm__ volatile("" ::"r"(room));
	if (what == 0)
		naps(50 + size);
	else if (what == 1)
		reads(fds[0]);
	else
		spins(45);
	__asm__ volatile("" ::"r"(room));
}

CALLER void outer(int what, int size)
{
	char room[size + 16];

	memset(room, what, sizeof(room));
	__asm__ volatile("" ::"r"(room));
	middle(what, size);
	__asm__ volatile("" ::"r"(room));
}

UNTRACED void deeper(int depth)
{
	char room[4096];

	memset(room, depth, sizeof(room));
	__asm__ volatile("" ::"r"(room));
	if (depth)
		deeper(depth - 1);
	else
		naps(50);
	__asm__ volatile("" ::"r"(room));
}

UNTRACED static void *writes(void *nothing)
{
	const struct timespec wait = { .tv_nsec = 50000000 };

	while (!is_reading)
		usleep(1000);
	nanosleep(&wait, NULL);
	CHECK(write(fds[1], "x", 1) == 1);
	return nothing;
}

/* For record-running.py. */
UNTRACED static void count_round(void)
{
	int fd = open("rounds", O_WRONLY | O_CREAT | O_APPEND, 0600);

	CHECK(fd >= 0 && write(fd, "x", 1) == 1);
	close(fd);
}

UNTRACED int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;

	CHECK(!pipe(fds));
	for (int i = 0; i < 10; i++)
		quick(i);
	if (!strcmp(how, "deep")) {
		deeper(10);
	} else if (!strcmp(how, "many")) {
		for (int i = 0; i < 100; i++)
			tiny(10);
	} else if (!strcmp(how, "forks")) {
		pid_t child = fork();

		outer(0, 1);
		if (child)
			CHECK(waitpid(child, NULL, 0) == child);
	} else {
		/* Repeat until the recording has ended. */
		do {
			outer(0, 1);
			outer(0, 1);
			outer(0, 30);
			is_reading = 0;
			CHECK(!pthread_create(&thread, NULL, writes, NULL));
			outer(1, 200);
			CHECK(!pthread_join(thread, NULL));
			outer(2, 1000);
			count_round();
		} while (!strcmp(how, "on") && access("ended", F_OK));
	}
	return 0;
}
