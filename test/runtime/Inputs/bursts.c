/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Uses up a tracing budget. A period is 2 ms of this thread's CPU time. hot() is called
 * very often in each period. warm() is called often in the first periods. After that,
 * one of ten burst functions is called in every eighth period. Each burst function is
 * busy only for a moment, but together they are busy all the time. The program ends
 * when it reads a line, and prints the numbers of calls.
 */
#include <poll.h>
#include <stdio.h>
#include <time.h>

#define FUNCTION(name)                                                        \
	__attribute__((noinline)) void name(void)                             \
	{                                                                     \
		__asm__ volatile("# " #name);                                 \
	}
FUNCTION(hot)
FUNCTION(warm)
FUNCTION(burst0)
FUNCTION(burst1)
FUNCTION(burst2)
FUNCTION(burst3)
FUNCTION(burst4)
FUNCTION(burst5)
FUNCTION(burst6)
FUNCTION(burst7)
FUNCTION(burst8)
FUNCTION(burst9)

static void (*const bursts[])(void) = { burst0, burst1, burst2, burst3, burst4,
					burst5, burst6, burst7, burst8, burst9 };
#define NR_BURSTS (sizeof(bursts) / sizeof(bursts[0]))

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void call(void (*function)(void), long n, long *calls)
{
	for (long i = 0; i < n; i++)
		function();
	*calls += n;
}

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	long of_burst[NR_BURSTS] = { 0 }, of_hot = 0, of_warm = 0;
	double next = now();

	puts("ready");
	fflush(stdout);
	for (long period = 0; !poll(&input, 1, 0); period++) {
		call(hot, 20000, &of_hot);
		call(warm, period < 50 ? 1000 : 4, &of_warm);
		if (period >= 200 && period % 8 == 0) {
			long which = period / 8 % (long)NR_BURSTS;

			call(bursts[which], 1600, &of_burst[which]);
		}
		for (next += 2; now() < next;)
			;
		/* After a slow period, do not catch up. */
		next = now();
	}
	printf("hot %ld\nwarm %ld\n", of_hot, of_warm);
	for (size_t i = 0; i < NR_BURSTS; i++)
		printf("burst%zu %ld\n", i, of_burst[i]);
	return 0;
}
