/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls one function as fast as possible and another one at most a hundred times per
 * second, until it reads a line. Then prints the number of calls of each function.
 */
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void often(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void seldom(void)
{
	__asm__ volatile("");
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	double next = 0;
	long nr_often = 0, nr = 0;

	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 0)) {
		for (int i = 0; i < 1000; i++)
			often();
		nr_often += 1000;
		if (now() < next)
			continue;
		next = now() + 0.01;
		seldom();
		nr++;
	}
	printf("%ld %ld\n", nr_often, nr);
	return 0;
}
