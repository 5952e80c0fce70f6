/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each recorded call is shown, lost, missed, or counted as not returned. A signal
 * handler leaves the call by siglongjmp() at each instruction after the function's
 * body: in trampolines, and in the recorder.
 *
 * RUN: rm -rf %t && mkdir %t
 * RUN: %build -DRESULT=long %s -o %t/direct
 * RUN: %build -DRESULT=double %s -o %t/general
 * RUN: cd %t
 * RUN: timeout 900 %python %S/../Inputs/count-left.py %patchbay ./direct duration
 * RUN: timeout 900 %python %S/../Inputs/count-left.py %patchbay ./general duration
 * RUN: timeout 900 %python %S/../Inputs/count-left.py %patchbay ./general graph --threshold 1ns
 * RUN: timeout 900 %python %S/../Inputs/count-left.py %patchbay ./general count --histogram
 * RUN: timeout 900 %python %S/../Inputs/count-left.py %patchbay ./direct count
 */
#include "../Inputs/take-time.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define NR_JUMPS 10000

static sigjmp_buf start;
static timer_t timer;
static volatile sig_atomic_t is_armed;
static volatile unsigned long begun, ran, nr_jumps;

NOT_TRACED static void set_timer(void)
{
	static uint64_t random = 88172645463325252u;
	struct itimerspec soon = { 0 };

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	soon.it_value.tv_nsec = 2000 + (long)(random % 30000);
	timer_settime(timer, 0, &soon, NULL);
}

NOT_TRACED static void leave(int number)
{
	(void)number;
	if (!is_armed)
		return;
	if (begun != ran) {
		set_timer();
		return;
	}
	is_armed = 0;
	nr_jumps++;
	siglongjmp(start, 1);
}

__attribute__((noinline)) RESULT step(void)
{
	take_time();
	return (RESULT)ran++;
}

int main(void)
{
	struct sigaction action = { .sa_handler = leave };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	sigsetjmp(start, 1);
	while (nr_jumps < NR_JUMPS) {
		is_armed = 1;
		set_timer();
		for (int i = 0; i < 10000; i++) {
			begun++;
			step();
		}
		is_armed = 0;
	}
	signal(SIGALRM, SIG_IGN);
	printf("%lu %lu\n", ran, nr_jumps);
	return 0;
}
