/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: start_main [report]
 *
 * The main function of a program with very many other functions, which are never called.
 * Without an argument main() only returns. With "report" it arms one function by name, arms
 * all functions and disarms them, and prints the costs as "NAME VALUE", in ms and kB.
 */
#include "patcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

unsigned int hot_callee(unsigned int x);

static void must(const char *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", error);
	_Exit(1);
}

/* Fails unless hot_callee() is armed or not, as expected. */
static void expect(int armed)
{
	uint64_t events;
	int last;

	patcher_events(&last);
	hot_callee(1);
	events = patcher_events(&last);
	if (events != (armed ? patcher_events_per_call : 0))
		must("not what was asked for");
}

/* Returns VALUE of the line "NAME: VALUE kB" in a file of /proc/self. */
static long kilobytes(const char *file, const char *name)
{
	FILE *lines = fopen(file, "r");
	char line[256];
	long value = -1;

	while (lines && value < 0 && fgets(line, sizeof(line), lines))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name));
	if (value < 0)
		must("no figures of memory in /proc");
	fclose(lines);
	return value;
}

static void resident(const char *when)
{
	printf("rss-%s %ld\n", when, kilobytes("/proc/self/status", "VmRSS:"));
	printf("pss-%s %ld\n", when,
	       kilobytes("/proc/self/smaps_rollup", "Pss:"));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void timed(const char *name, const char *(*operation)(void), int armed)
{
	double start = now();

	must(operation());
	printf("%s %f\n", name, now() - start);
	expect(armed);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc < 2)
		return 0;
	must(patcher_init());
	resident("before");
	if (patcher_has_names) {
		timed("arm-one", patcher_arm_hot_callee, 1);
		timed("disarm-one", patcher_disarm_all, 0);
		timed("arm-one-again", patcher_arm_hot_callee, 1);
		resident("one-armed");
		must(patcher_disarm_all());
	}
	timed("arm", patcher_arm_all, 1);
	resident("armed");
	timed("disarm", patcher_disarm_all, 0);
	resident("disarmed");
	timed("arm-again", patcher_arm_all, 1);
	return 0;
}
