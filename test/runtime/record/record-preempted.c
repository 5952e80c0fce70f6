/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If two threads compete for one CPU, `record` and all readers of the recording note that
 * times include waits for the CPU. Times recorded with --no-sleep-time exclude these waits.
 */
// RUN: rm -rf %t && mkdir %t && %build %s -o %t/prog -lpthread
// RUN: cd %t && %patchbay record -F turn -o out -- ./prog 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report out 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report --html page.html out 2>/dev/null && FileCheck %s --check-prefix=PAGE < page.html
// RUN: cd %t && %patchbay info out 2>/dev/null | FileCheck %s --check-prefix=INFO
// RUN: cd %t && %patchbay record -F turn --no-sleep-time -o own -- ./prog 2>&1 | FileCheck %s --implicit-check-not=preempted --check-prefix=OWN
// CHECK: {{^}}patchbay: out: ./prog was preempted {{[0-9]+}} times in {{[0-9.]+}} s of CPU time, and its times include these waits: try --no-sleep-time{{$}}
// PAGE: <li>./prog was preempted {{[0-9]+}} times
// INFO: {{^}}command      {{.*}} -F turn -o out -- ./prog{{$}}
// OWN: {{^}}patchbay: 1 process recorded in own
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

static volatile long sum;

__attribute__((noinline)) void turn(void)
{
	for (int i = 0; i < 1000000; i++)
		sum += i;
}

static void *run(void *arg)
{
	struct timespec used;

	do {
		turn();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < 400);
	return arg;
}

int main(void)
{
	cpu_set_t one;
	pthread_t other;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 1;
	if (pthread_create(&other, NULL, run, NULL))
		return 1;
	run(NULL);
	return pthread_join(other, NULL);
}
