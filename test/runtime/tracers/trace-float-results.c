/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recording does not change floating-point results, although the recorder does not save
 * floating-point registers. Cases: the first call of a thread and of a forked child, a
 * full block, a new file, and signal handlers that interrupt the recorder at each
 * instruction.
 */
// REQUIRES: host-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{record} = cd %t && rm -rf data && %patchbay record -F 'give_*' -o data
// DEFINE: %{check} = FileCheck %s --check-prefix=SAID
// SAID: {{^}}results unchanged{{$}}
// RUN: %{record} -t function_duration -- ./prog 600 | %{check}
// RUN: %patchbay report -i %t/data | FileCheck %s
// RUN: %{record} -t function_graph -- ./prog 600 | %{check}
// RUN: %patchbay report -i %t/data | FileCheck %s
// RUN: %{record} -t function_duration --buffer 8K -- ./prog 600 | %{check}
// RUN: %{record} -t function_graph --buffer 8K -- ./prog 600 | %{check}
// RUN: %{record} -t function_duration --buffer 8K --overwrite -- ./prog 600 | %{check}
// RUN: %{record} -t function_graph --buffer 8K --overwrite -- ./prog 600 | %{check}
// RUN: %{record} -t function_duration --rotate-size 1M -- ./prog 15000 | %{check}
// RUN: %{record} -t function_graph --rotate-size 1M -- ./prog 15000 | %{check}
// RUN: %{record} -t function_duration --why 1us -- ./prog 600 unstepped | %{check}
// CHECK-DAG: give_double{{$}}
// CHECK-DAG: give_doubles{{$}}
// CHECK-DAG: give_long_double{{$}}

#include "../Inputs/check.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define STEPPED_CALLS 20

struct doubles {
	double a, b;
};

OPAQUE double give_double(double x) { return x + 0.5; }
OPAQUE struct doubles give_doubles(double x) { return (struct doubles){ x + 1, x + 2 }; }
OPAQUE long double give_long_double(long x) { return (long double)x + 0.25L; }

NOT_TRACED static int is_right(long x)
{
	struct doubles doubles = give_doubles((double)x);

	return give_double((double)x) == (double)x + 0.5 &&
	       doubles.a == (double)x + 1 && doubles.b == (double)x + 2 &&
	       give_long_double(x) == (long double)x + 0.25L;
}

static long calls;
NOT_TRACED static void *call_all(void *arg)
{
	for (long i = 0; i < calls; i++)
		CHECK(is_right(i));
	return arg;
}

/* Makes the first recorded call of a thread, for each type of result. */
NOT_TRACED static void *call_double(void *arg)
{
	CHECK(give_double(1) == 1.5);
	return arg;
}

NOT_TRACED static void *call_doubles(void *arg)
{
	struct doubles doubles = give_doubles(1);

	CHECK(doubles.a == 2 && doubles.b == 3);
	return arg;
}

NOT_TRACED static void *call_long_double(void *arg)
{
	CHECK(give_long_double(1) == 1.25L);
	return arg;
}

static void *(*const first[])(void *) = { call_double, call_doubles, call_long_double,
					  call_all };

NOT_TRACED static void in_thread(void *(*call)(void *))
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, call, NULL));
	CHECK(!pthread_join(thread, NULL));
}

NOT_TRACED static void in_child(void *(*call)(void *))
{
	pid_t child = fork();
	int status;

	if (!child) {
		call(NULL);
		exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

/* Makes traced calls every few instructions, at varying instructions. */
static long instructions;
static int period;
NOT_TRACED static void on_trap(int signal)
{
	(void)signal;
	if (instructions++ % period == 0)
		CHECK(is_right(instructions));
}

/* Single-steps calls; bit 8 of the flags is the trap flag. */
NOT_TRACED static void call_stepped(void)
{
	CHECK(signal(SIGTRAP, on_trap) != SIG_ERR);
	for (long i = 0; i < STEPPED_CALLS; i++) {
		int right;

		period = (int)(i % 13) + 2;
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
		right = is_right(i);
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc", "memory");
		CHECK(right);
	}
	CHECK(instructions > 200 * STEPPED_CALLS);
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	calls = atol(argv[1]);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		in_thread(first[i]);
		in_child(first[i]);
	}
	if (argc == 2)
		call_stepped();
	call_all(NULL);
	puts("results unchanged");
	return 0;
}
