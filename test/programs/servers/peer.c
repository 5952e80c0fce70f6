/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program of peers.py: calls a function until it is killed. After each round of about
 * 20 ms it prints the round's end (CLOCK_MONOTONIC, in seconds), the time of a call in
 * nanoseconds, and the number of calls.
 */
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) long traced(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (;;) {
		double start = now(), end;
		long calls = 0;

		do {
			for (int i = 0; i < 100; i++)
				calls = traced(calls);
			end = now();
		} while (end - start < 20e6);
		printf("%.3f %.2f %ld\n", end / 1e9, (end - start) / (double)calls,
		       calls);
	}
}
