/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: worker [OPTION OF THE TRACER]
 *
 * Prints "ready CALLS EVENTS" and then answers each line "SLICES CALLS" of standard input
 * with one line: the sum of the slices' check values, and the time of each slice in ns. The
 * harness asks all workers in turn, so that other load of the machine affects them equally.
 */
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define PROOF_CALLS 1000
#define MAX_SLICES 10000

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "";
	const char *error = tracer_count(option);
	uint64_t slices, calls;
	static uint64_t times[MAX_SLICES];

	if (!error) {
		load_run(PROOF_CALLS);
		printf("ready %d %" PRIu64 "\n", PROOF_CALLS, tracer_events());
		error = tracer_empty(option);
	}
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[0], error);
		return 1;
	}
	fflush(stdout);
	while (scanf("%" SCNu64 "%" SCNu64, &slices, &calls) == 2) {
		uint64_t check = 0;

		if (slices > MAX_SLICES) {
			fprintf(stderr, "%s: more than %d slices\n", argv[0],
				MAX_SLICES);
			return 1;
		}
		for (uint64_t i = 0; i < slices; i++) {
			uint64_t start;

			load_prepare();
			start = now();
			check += load_run(calls);
			times[i] = now() - start;
		}
		printf("%" PRIu64, check);
		for (uint64_t i = 0; i < slices; i++)
			printf(" %" PRIu64, times[i]);
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
