/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With sleep-time=0 each thread has its own clock: the processor's counter without the
 * thread's off-CPU time. It counts ticks of the counter, minus the ticks of the thread's
 * off-CPU time since the clock's first use.
 *
 * The page that perf_event_open(2) maps for an event of this thread has a word that the
 * kernel changes whenever the thread comes back to a processor. The thread asks the kernel
 * for its CPU time only if the word has changed, or, without such a page, each time.
 *
 * The off-CPU time is the difference between counter and CPU time. Their rates differ
 * slightly, and the CPU time may exclude interrupts. The thread compares the two at least
 * every PB_OWN_CLOCK_NS, so that the error does not grow while the thread does not sleep.
 *
 * Only handlers of tracers with an exit handler read the clock. Within a thread such
 * handlers never interrupt each other, so no signal handler reads the clock during a
 * reading.
 */
#ifndef PB_TRACE_OWN_CLOCK_H
#define PB_TRACE_OWN_CLOCK_H

#include <patchbay/exit.h>

/*
 * In memory that fork() fills with zeros, because a child does not have the page.
 * @switches: the word; NULL after a fork
 * @seen:     the value of the word when it was last read
 * @never:    @switches points here if there is no page. Never equals @seen
 * @until:    the time when the next comparison is due
 * The other fields belong to own_clock.c.
 */
struct pb_own_clock {
	const uint32_t *switches;
	uint32_t seen;
	uint32_t never;
	uint64_t until;
	void *page;
	uint64_t ticks, cpu_ns; /* the last comparison */
};

/* A thread's clock. In a forked child it continues, for calls that began before the fork. */
struct pb_own_time {
	uint64_t asleep; /* ticks of off-CPU time so far */
	uint64_t last;   /* the last reading */
	uint64_t owed;   /* the time when off-CPU time was found that is not recorded yet, or 0 */
};

/* Points into the thread's struct pb_thread_state. NULL: the thread has no clock yet. */
extern __thread struct pb_own_clock *pb_own_clock
	__attribute__((tls_model("initial-exec")));
extern __thread struct pb_own_time pb_own_time
	__attribute__((tls_model("initial-exec")));

#define PB_OWN_CLOCK_NS 10000000

/* Ticks per nanosecond, times 2^32. Set it before a clock is read. */
extern uint64_t pb_own_clock_rate;

/* The thread has ended: unmap its page. The caller holds the session's lock. */
void pb_own_clock_release(struct pb_own_clock *own);

/*
 * Slow path of pb_own_clock_now(): the thread may have been off-CPU, a comparison is due,
 * or the thread has no clock yet.
 */
uint64_t pb_own_clock_slowly(void);

/*
 * Read the thread's clock. Reads the counter before the word: if the word is unchanged, the
 * thread was not off-CPU between the last reading of the word and this reading of the
 * counter.
 */
static inline uint64_t pb_own_clock_now(void)
{
	uint64_t now = patchbay_clock();
	const struct pb_own_clock *own = pb_own_clock;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(!own || !own->switches ||
				     __atomic_load_n(own->switches,
						     __ATOMIC_RELAXED) !=
					     own->seen ||
				     (int64_t)(now - own->until) >= 0,
			     0))
		return pb_own_clock_slowly();
	return pb_own_time.last = now - pb_own_time.asleep;
}

/*
 * While recording is off, off-CPU time is not recorded, because records of a thread that
 * often waits would fill its buffer. pb_own_clock_settle() before each event records the
 * off-CPU time that was found in between.
 */
void pb_own_clock_record_owed(void);

static inline void pb_own_clock_settle(void)
{
	if (__builtin_expect(pb_own_time.owed != 0, 0))
		pb_own_clock_record_owed();
}

/*
 * Call before the first event of a block. Records the difference between the thread's clock
 * and the counter, so that readers need no earlier block.
 */
void pb_own_clock_begin_block(void);

#endif /* PB_TRACE_OWN_CLOCK_H */
