/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: patch_main MODE
 *
 * A worker like worker.c whose slices are operations of a patcher on the functions of the
 * generated table. After each operation the worker calls every function once, and fails if
 * the number of events is wrong.
 */
#include "patcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned int function(unsigned int);

/* The generated files define these; see harness/functions.py. */
extern function *__start_bench_functions[], *__stop_bench_functions[];

static int handler; /* the expected handler */

/*
 * Reads CPU time, because an operation may exceed the kernel's time slice. Operations never
 * wait.
 */
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* End without flushing stdout, to discard an incomplete answer. */
static void must(const char *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", error);
	_Exit(1);
}

static size_t nr_functions(void)
{
	return (size_t)(__stop_bench_functions - __start_bench_functions);
}

static void expect_armed(size_t armed)
{
	uint64_t events;
	int last;

	patcher_events(&last);
	for (function **f = __start_bench_functions;
	     f < __stop_bench_functions; f++)
		(*f)(1);
	events = patcher_events(&last);
	if (events == armed * patcher_events_per_call &&
	    (!armed || last == handler))
		return;
	fprintf(stderr, "%" PRIu64 " events, %zu functions armed, handler %d\n",
		events, armed, last);
	must("not what was asked for");
}

/* Returns a checksum of the bytes around each entry, where all systems patch. */
static uint64_t text_sum(void)
{
	uint64_t sum = 0;

	for (function **f = __start_bench_functions;
	     f < __stop_bench_functions; f++)
		for (int i = -16; i < 16; i++)
			sum = sum * 31 + ((const uint8_t *)*f)[i];
	return sum;
}

static void disarm_all(size_t nr)
{
	(void)nr;
	must(patcher_disarm_all());
}

static void arm_all(size_t nr)
{
	(void)nr;
	must(patcher_arm_all());
}

/* Arm @nr functions in different pages. */
static void arm_ones(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		must(patcher_arm_one((uintptr_t)
			__start_bench_functions[i * (nr_functions() / nr)]));
}

static void nothing(size_t nr)
{
	(void)nr;
}

static void arm_second(size_t nr)
{
	(void)nr;
	must(patcher_arm_second());
}

static void disarm_second(size_t nr)
{
	(void)nr;
	must(patcher_disarm_second());
}

static void arm_both(size_t nr)
{
	arm_all(nr);
	arm_second(nr);
}

static void retarget(size_t nr)
{
	(void)nr;
	handler = !handler;
	must(patcher_retarget());
}

/*
 * A mode: the steps before the timed step, the timed step, which functions it leaves armed,
 * and the steps after it.
 */
enum armed { NONE, SOME, ALL, TWICE };

static const struct mode {
	const char *name;
	void (*begin)(size_t), (*run)(size_t);
	enum armed armed;
	void (*undo)(size_t);
	int same_text;
} modes[] = {
	{ "arm", nothing, arm_all, ALL, disarm_all, 0 },
	{ "disarm", arm_all, disarm_all, NONE, arm_all, 0 },
	{ "second", arm_all, arm_second, TWICE, disarm_second, 1 },
	{ "second-off", arm_both, disarm_second, ALL, arm_second, 1 },
	{ "retarget", arm_all, retarget, ALL, nothing, 1 },
	{ "one-by-one", nothing, arm_ones, SOME, disarm_all, 0 },
};

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	fprintf(stderr, "unknown mode %s\n", name);
	exit(1);
}

static uint64_t slice(const struct mode *mode, size_t nr)
{
	uint64_t sum = mode->same_text ? text_sum() : 0, start = now(), taken;

	mode->run(nr);
	taken = now() - start;
	if (mode->same_text && text_sum() != sum)
		must("text was written");
	expect_armed(mode->armed == TWICE ? 2 * nr_functions() :
		     mode->armed == ALL	  ? nr_functions() :
		     mode->armed == SOME  ? nr :
					    0);
	mode->undo(nr);
	return taken;
}

int main(int argc, char **argv)
{
	const struct mode *mode = find_mode(argc > 1 ? argv[1] : "");
	size_t slices, nr;

	must(patcher_init());
	/* Load the text into memory first, as in a running program. */
	expect_armed(0);
	mode->begin(0);
	/* "0 0": each slice checks its own events. */
	printf("ready 0 0\n");
	fflush(stdout);
	while (scanf("%zu%zu", &slices, &nr) == 2) {
		printf("%zu", slices * nr);
		for (size_t i = 0; i < slices; i++)
			printf(" %" PRIu64, slice(mode, nr));
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
