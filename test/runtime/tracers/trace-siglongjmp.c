/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread is still recorded after its SIGFPE handler has called siglongjmp(), as in
 * some servers: out of traced functions, and out of any instruction of the tracer. Each
 * call that returned is recorded or counted as missed. Few are missed, although the
 * thread does not reuse the stack of the calls that it left.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{record} = cd %t && timeout 600 %patchbay record -F step -F after
// DEFINE: %{check} = %patchbay dump --csv %t/patchbay.data > %t/csv && %python %S/../Inputs/losses.py %t/said %t/csv %t/patchbay.data | FileCheck %s
// RUN: %{record} -t function -- ./prog > %t/said && %{check}
// RUN: %{record} -t function_profile -- ./prog > %t/said
// RUN: %patchbay report -i %t/patchbay.data | FileCheck %s --check-prefix=COUNT
// RUN: %{record} -t function_duration -- ./prog > %t/said && %{check}
// RUN: %{record} -t function_duration --threshold 1ns -- ./prog > %t/said && %{check}
// RUN: %{record} -t function_duration --depth 3 -- ./prog > %t/said && %{check}
// RUN: %{record} -t function_duration --no-sleep-time -- ./prog > %t/said && %{check}
// RUN: %{record} -t function_graph --threshold 1ns -- ./prog > %t/said && %{check}
// RUN: %{record} --histogram -- ./prog all > %t/said
// RUN: %python %S/../Inputs/losses.py %t/said - %t/patchbay.data | FileCheck %s
// COUNT: {{^ *}}4100 {{.*}}after
// CHECK: {{[0-9]+}} calls, {{[0-9]|[0-9][0-9]|[0-9][0-9][0-9]}} missing
#include "../Inputs/check.h"
#include "../Inputs/take-time.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))
#define JUMPS 40

OPAQUE void step(void) { take_time(); }
OPAQUE void after(void) { take_time(); }

static sigjmp_buf back;
static volatile sig_atomic_t ready, jumps;
static volatile long steps, afters;

UNTRACED static void on_error(int signal)
{
	(void)signal;
	if (!ready)
		return;
	ready = 0;
	jumps++;
	siglongjmp(back, 1);
}

/* Signals arrive at some kHz. */
UNTRACED static void *send_signals(void *arg)
{
	while (jumps < JUMPS) {
		pthread_kill(*(pthread_t *)arg, SIGFPE);
		usleep(200);
	}
	return NULL;
}

UNTRACED __attribute__((noinline)) static void step_deep(void)
{
	char room[100000];

	__asm__ volatile("" : : "r"(room) : "memory");
	step();
	__asm__ volatile("" : : "r"(room) : "memory");
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t self = pthread_self(), sender;
	const char *all = argc > 1 ? argv[1] : NULL;

	CHECK(signal(SIGFPE, on_error) != SIG_ERR);
	CHECK(!pthread_create(&sender, NULL, send_signals, &self));
	/* A signal that arrives after the call does not undo the call. */
	sigsetjmp(back, 1);
	for (int i = 0; i < 100; i++, afters++)
		after();
	ready = 1;
	while (jumps < JUMPS) {
		step_deep();
		steps++;
	}
	ready = 0;
	pthread_join(sender, NULL);
	if (all) {
		printf("all %ld %d\n", steps + afters, (int)jumps);
	} else {
		printf("step %ld %d\n", steps, (int)jumps);
		printf("after %ld 0\n", afters);
	}
	return 0;
}
