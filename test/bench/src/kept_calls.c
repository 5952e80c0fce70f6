/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: kept_calls CALLS [OPTION OF THE TRACER]
 *
 * Makes the calls in one thread. Prints the user and the kernel CPU time of the calls, and
 * then the CPU time of the process, all in ns.
 */
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t kernel_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_stime.tv_sec * 1000000000 +
	       (uint64_t)usage.ru_stime.tv_usec * 1000;
}

/* Precise, unlike getrusage(), whose times advance in ticks. */
static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	const uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	const char *error = tracer_count(argc > 2 ? argv[2] : "");
	uint64_t kernel, all;

	if (error) {
		fprintf(stderr, "%s: %s\n", argv[0], error);
		return 1;
	}
	/* Exclude work that happens once per thread or function. */
	load_run(calls < 100000 ? calls : 100000);
	kernel = kernel_ns();
	all = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	if (load_run(calls) != calls)
		return 1;
	all = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - all;
	kernel = kernel_ns() - kernel;
	kernel = kernel < all ? kernel : all;
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", all - kernel, kernel,
	       cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
