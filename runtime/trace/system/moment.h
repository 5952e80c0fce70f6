/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A moment on the processor's counter and on CLOCK_MONOTONIC. Two moments give the
 * counter's rate. Used by the traced process and, in C++, by `patchbay record`.
 */
#ifndef PB_TRACE_MOMENT_H
#define PB_TRACE_MOMENT_H

#include <patchbay/exit.h>

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#define PB_MOMENT_CALL syscall
#else
#include "sys.h"
#define PB_MOMENT_CALL pb_sys
#endif

struct pb_moment {
	uint64_t ticks, monotonic_ns;
};

/* Makes a system call instead of calling the C library, for the reasons in sys.h. */
static inline uint64_t pb_now_ns(int clock)
{
	struct timespec now;

	PB_MOMENT_CALL(SYS_clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Reads the counter before and after the clock. Returns the shortest of three tries,
 * because a try during which the thread is preempted is imprecise.
 */
static inline struct pb_moment pb_moment_now(void)
{
	struct pb_moment now = { 0, 0 };
	uint64_t shortest = UINT64_MAX;

	for (int tries = 0; tries < 3; tries++) {
		uint64_t before = patchbay_clock();
		uint64_t ns = pb_now_ns(CLOCK_MONOTONIC);
		uint64_t took = patchbay_clock() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		now.ticks = before + took / 2;
		now.monotonic_ns = ns;
	}
	return now;
}

#endif /* PB_TRACE_MOMENT_H */
