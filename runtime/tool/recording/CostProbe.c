/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints how many picoseconds of processor time a call takes, of functions that do next to
 * nothing. `patchbay record` runs it twice, as it is and traced: what is more is what a
 * traced call costs (CallCost.h).
 *
 * There are as many functions as a server may be busy with, and they are called in an order
 * that no predictor knows: so what tracing takes of caches and predictors is there, too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION(n)                                         \
	__attribute__((noinline, aligned(128))) void probe_##n(void) \
	{                                                   \
		__asm__ volatile("");                       \
	}
#define FOUR(do, n) do(n##0) do(n##1) do(n##2) do(n##3)
#define SIXTEEN(do, n) FOUR(do, n##0) FOUR(do, n##1) FOUR(do, n##2) FOUR(do, n##3)
#define SIXTY_FOUR(do, n) \
	SIXTEEN(do, n##0) SIXTEEN(do, n##1) SIXTEEN(do, n##2) SIXTEEN(do, n##3)
#define ALL(do) SIXTY_FOUR(do, 0) SIXTY_FOUR(do, 1) SIXTY_FOUR(do, 2) SIXTY_FOUR(do, 3)

#define DECLARATION(n) void probe_##n(void);
ALL(DECLARATION)
ALL(FUNCTION)

#define ADDRESS(n) probe_##n,
static void (*const function[])(void) = { ALL(ADDRESS) };

#define FUNCTIONS (sizeof(function) / sizeof(function[0]))
#define CALLS 20000
#define ROUNDS 9

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t one_round(void)
{
	static uint32_t random = 1;
	uint64_t begin = now_ns();

	for (int i = 0; i < CALLS; i++) {
		random = random * 1664525 + 1013904223;
		function[(random >> 16) % FUNCTIONS]();
	}
	return (now_ns() - begin) * 1000 / CALLS;
}

static int less(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int main(void)
{
	uint64_t ps[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ps[i] = one_round();
	/* The first are those that make what is needed only once. */
	qsort(ps, ROUNDS, sizeof(ps[0]), less);
	printf("%llu\n", (unsigned long long)ps[ROUNDS / 2]);
	return 0;
}
