/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With sleep-time=0 each thread has its own clock: the processor's counter, minus the
 * thread's off-CPU time since the first reading of the clock, in ticks.
 *
 * The page that perf_event_open(2) maps for an event of this thread has a word that the
 * kernel changes whenever the thread comes back to a processor. The thread reads its CPU
 * time from the kernel only if the word has changed. If the page cannot be mapped, the
 * thread reads its CPU time at each reading of the clock.
 *
 * The off-CPU time is the difference between counter and CPU time. Their rates differ
 * slightly, and the CPU time may exclude interrupts. The thread compares counter and CPU
 * time at least every PB_OWN_CLOCK_NS, which limits the error of a thread that never
 * sleeps.
 *
 * Only tracers with an exit handler read the clock. Within a thread their handlers never
 * interrupt each other, so readings never nest.
 */
#ifndef PB_TRACE_OWN_CLOCK_H
#define PB_TRACE_OWN_CLOCK_H

#include <patchbay/exit.h>

/*
 * fork() fills this with zeros, because a child does not inherit the page.
 * @switches: the word that the kernel changes; NULL after a fork
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

/*
 * A thread's off-CPU time. A forked child inherits the values, for calls that began before
 * the fork.
 */
struct pb_own_time {
	uint64_t asleep; /* ticks of off-CPU time so far */
	uint64_t last;   /* the last reading */
	uint64_t owed;   /* when the unrecorded off-CPU time was found; 0: none is unrecorded */
};

/* Points into the thread's struct pb_thread_state. NULL: the thread has no clock yet. */
extern __thread struct pb_own_clock *pb_own_clock
	__attribute__((tls_model("initial-exec")));
extern __thread struct pb_own_time pb_own_time
	__attribute__((tls_model("initial-exec")));

#define PB_OWN_CLOCK_NS 10000000

/* Ticks per nanosecond, times 2^32. Must be set before a clock is read. */
extern uint64_t pb_own_clock_rate;

/* The thread has ended: unmap its page. The caller holds the session's lock. */
void pb_own_clock_release(struct pb_own_clock *own);

/*
 * Slow path of pb_own_clock_now(): the thread may have been off-CPU, a comparison is due,
 * or the thread has no clock yet.
 */
uint64_t pb_own_clock_slowly(void);

/*
 * Read the thread's clock. Reads the counter before *@switches: if *@switches equals @seen,
 * the thread was on-CPU from the last reading until this reading of the counter.
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
 * While recording is off, off-CPU time is not recorded, because a thread that often waits
 * would fill its buffer. Handlers call pb_own_clock_settle() before each event, to record
 * the off-CPU time that was found meanwhile.
 */
void pb_own_clock_record_owed(void);

static inline void pb_own_clock_settle(void)
{
	if (__builtin_expect(pb_own_time.owed != 0, 0))
		pb_own_clock_record_owed();
}

/*
 * Call this before the first event of a block. Records the thread's total off-CPU time, so
 * that readers can convert times in this block without earlier blocks.
 */
void pb_own_clock_begin_block(void);

#endif /* PB_TRACE_OWN_CLOCK_H */
