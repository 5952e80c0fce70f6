/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recording a realtime function, with any tracer, calls no function that may block:
 * RealtimeSanitizer would end the program. The sanitizer still reports violations by
 * the program itself.
 */
// RUN: %build -fsanitize=realtime %s -o %t
// RUN: %patchbay record -o %t.data -t function_profile -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -o %t.data -t function -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -o %t.data -t function_duration -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -o %t.data -t function_graph --live -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -o %t.data --histogram --threshold 1s -- %t | FileCheck %s
// RUN: not %patchbay record -o %t.data -t function -- %t bad 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD
// CHECK: {{^}}sum 119999400000{{$}}
// REPORT-DAG: {{^ *}}200000 {{(.* )?}}process{{( |$)}}
// REPORT-DAG: {{^ *}}200000 {{(.* )?}}work{{( |$)}}
// REPORT-DAG: {{^ *}}200000 {{(.* )?}}thread_work{{( |$)}}
// BAD: RealtimeSanitizer: unsafe-library-call
// BAD: malloc

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* So many calls fill several segments of the file. */
enum { NR = 200000 };

__attribute__((noinline)) static int work(int n)
{
	__asm__ volatile("");
	return 3 * n;
}

__attribute__((noinline)) static int thread_work(int n)
{
	__asm__ volatile("");
	return 3 * n;
}

int process(int n) __attribute__((nonblocking));
__attribute__((noinline)) int process(int n) __attribute__((nonblocking))
{
	return work(n);
}

static void *run(void *arg) __attribute__((nonblocking))
{
	long *sum = arg;

	for (int i = 0; i < NR; i++)
		*sum += thread_work(i);
	return NULL;
}

static void *volatile memory;
static void bad(void) __attribute__((nonblocking))
{
	memory = malloc(100);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long sum = 0, other = 0;

	(void)argv;
	if (argc > 1)
		bad();
	pthread_create(&thread, NULL, run, &other);
	for (int i = 0; i < NR; i++)
		sum += process(i);
	pthread_join(thread, NULL);
	printf("sum %ld\n", sum + other);
	return 0;
}
