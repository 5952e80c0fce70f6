/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints "PLAIN TRACED PAGES ERROR", in picoseconds. PLAIN and TRACED are the CPU time of
 * a call of an almost empty function, without and with tracing: `patchbay record` traces
 * the functions probe_*, but not plain_*. TRACED - PLAIN is the cost of a traced call
 * (CallCost.h). PAGES is the part of that cost for new pages, which few calls need. ERROR
 * is half of the interquartile range.
 *
 * The program has as many functions as a busy server uses. Their calls have an order that
 * a branch predictor cannot learn. So the result includes the effects of tracing on caches
 * and predictors.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION(name)                                              \
	__attribute__((noinline, aligned(128))) void name(void)     \
	{                                                           \
		__asm__ volatile("");                               \
	}
#define FOUR(do, n) do(n##0) do(n##1) do(n##2) do(n##3)
#define SIXTEEN(do, n) FOUR(do, n##0) FOUR(do, n##1) FOUR(do, n##2) FOUR(do, n##3)
#define SIXTY_FOUR(do, n) \
	SIXTEEN(do, n##0) SIXTEEN(do, n##1) SIXTEEN(do, n##2) SIXTEEN(do, n##3)
#define ALL(do) SIXTY_FOUR(do, 0) SIXTY_FOUR(do, 1) SIXTY_FOUR(do, 2) SIXTY_FOUR(do, 3)

#define DECLARATIONS(n) void probe_##n(void); void plain_##n(void);
#define PROBE(n) FUNCTION(probe_##n)
#define PLAIN(n) FUNCTION(plain_##n)
ALL(DECLARATIONS)
ALL(PROBE)
ALL(PLAIN)

#define FUNCTIONS 256
#define PROBE_ADDRESS(n) probe_##n,
#define PLAIN_ADDRESS(n) plain_##n,
static void (*const probes[FUNCTIONS])(void) = { ALL(PROBE_ADDRESS) };
static void (*const plains[FUNCTIONS])(void) = { ALL(PLAIN_ADDRESS) };

/*
 * The first rounds include one-time costs, such as small blocks of the buffer. Batches are
 * short, so that most batches need no new page of the file.
 */
#define BATCH 64
#define BATCHES 64
#define ROUNDS 24
#define FIRST_ROUND 11

struct timing {
	uint64_t batch[ROUNDS * BATCHES], round[ROUNDS]; /* picoseconds per call */
	size_t nr;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void time_round(struct timing *of, void (*const *function)(void), uint32_t random)
{
	uint64_t begin = now_ns(), first = begin, now = begin;

	for (int i = 0; i < BATCHES; i++, begin = now) {
		for (int j = 0; j < BATCH; j++) {
			random = random * 1664525 + 1013904223;
			function[(random >> 16) % FUNCTIONS]();
		}
		now = now_ns();
		of->batch[of->nr * BATCHES + (size_t)i] = (now - begin) * 1000 / BATCH;
	}
	of->round[of->nr++] = (now - first) * 1000 / (BATCH * BATCHES);
}

static int less(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* A quartile of the values from @first on: 0 is the minimum, 2 the median. */
static uint64_t quarter(uint64_t *of, size_t first, size_t nr, size_t which)
{
	qsort(of + first, nr - first, sizeof(*of), less);
	return of[first + (nr - first) * which / 4];
}

static uint64_t typical(struct timing *of)
{
	return quarter(of->batch, FIRST_ROUND * BATCHES, ROUNDS * BATCHES, 2);
}

static uint64_t on_average(struct timing *of, size_t which)
{
	return quarter(of->round, FIRST_ROUND, ROUNDS, which);
}

static uint64_t more(uint64_t than, uint64_t is)
{
	return is > than ? is - than : 0;
}

int main(void)
{
	static struct timing plain, traced;
	uint64_t all;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		time_round(&plain, plains, i);
		time_round(&traced, probes, i);
	}
	all = more(on_average(&plain, 2), on_average(&traced, 2));
	printf("%llu %llu %llu %llu\n", (unsigned long long)on_average(&plain, 2),
	       (unsigned long long)on_average(&traced, 2),
	       (unsigned long long)more(more(typical(&plain), typical(&traced)), all),
	       (unsigned long long)more(on_average(&traced, 1), on_average(&traced, 3)) / 2);
	return 0;
}
