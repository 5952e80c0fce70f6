/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/quiesce.h"
#include "system/lock.h"
#include "system/private.h"
#include "system/stats.h"

#include <errno.h>
#include <time.h>

#define PATIENCE 64 /* polls, about 20 microseconds */

/*
 * Pauses between polls, in nanoseconds. Each pause is 1/8 longer than the last, and about a
 * ninth of the time waited so far. On a busy machine the thread in a handler may be off-CPU for
 * long, and each poll costs other threads CPU time.
 */
#define PAUSE_MIN 20000
#define PAUSE_MAX 20000000

/*
 * After this time, in nanoseconds, pb_wait() looks closely, for abandoned handlers. This costs
 * a system call for each thread that is inside.
 */
#define LOOK_CLOSELY 1000000

/* pb_over_until() looks closely if its caller's last close look was 10 ms ago or more. */
#define LOOK_AGAIN 10000000

void patchbay_set_wait_limit(unsigned int milliseconds)
{
	__atomic_store_n(&pb_wait_limit, milliseconds, __ATOMIC_RELAXED);
}

unsigned int pb_private_wait_limit(unsigned int milliseconds)
{
	return __atomic_exchange_n(&pb_wait_limit, milliseconds, __ATOMIC_RELAXED);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int pb_wait(void)
{
	const unsigned int most = __atomic_load_n(&pb_wait_limit, __ATOMIC_RELAXED);
	struct timespec pause = { .tv_nsec = PAUSE_MIN };
	uint64_t phase;
	int64_t begin;
	int error;

	if (pb_thread_inside())
		return -EDEADLK;
	error = pb_quiesce_begin(&phase);
	if (error)
		return error;
	/* Most handlers return immediately, some only after their threads are scheduled again. */
	for (int polls = 0; polls < PATIENCE; polls++)
		if (pb_quiesce_over(phase))
			return 0;
	for (begin = now(); !pb_quiesce_over(phase);) {
		int64_t waited = now() - begin;

		if (waited >= LOOK_CLOSELY || waited >= most * 1000000ll) {
			int over, thread = pb_quiesce_thread(phase, &over);

			if (over)
				return 0;
			if (most != PATCHBAY_WAIT_FOREVER &&
			    waited >= most * 1000000ll) {
				pb_count(&pb_stats.timeouts);
				__atomic_store_n(&pb_stats.waited_for, (uint64_t)thread,
						 __ATOMIC_RELAXED);
				return -ETIMEDOUT;
			}
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MAX)
			pause.tv_nsec += pause.tv_nsec / 8;
	}
	return 0;
}

uint64_t pb_over_until(uint64_t phase, int64_t *looked)
{
	uint64_t until = pb_quiesce_until(phase, 0);
	int64_t time;

	if (until == phase)
		return until;
	time = now();
	if (*looked && time - *looked < LOOK_AGAIN)
		return until;
	*looked = time;
	return pb_quiesce_until(phase, 1);
}
