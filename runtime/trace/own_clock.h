/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With sleep-time=0 each thread has a clock of its own: the processor's counter
 * without the time that the thread was not on a processor. It is in ticks of the
 * counter, behind it by as much as the thread has slept since it was first asked.
 *
 * What tells that the thread has been off the processor is a word that the kernel
 * changes whenever it comes back: that of the page which perf_event_open(2) maps
 * for an event of this thread, of no matter what. Only then is the kernel asked,
 * for how long. Where there is no such page it is asked each time.
 *
 * For how long, is the difference of two clocks, which do not quite have the same
 * rate, and of which the kernel's may leave out interrupts. That it does not grow
 * until the thread sleeps they are compared again each PB_OWN_CLOCK_NS.
 *
 * For handlers of tracers with an exit handler, which are not called while another
 * such handler of the thread is, so no signal handler is in between here.
 */
#ifndef PB_TRACE_OWN_CLOCK_H
#define PB_TRACE_OWN_CLOCK_H

#include <patchbay/exit.h>

/*
 * In memory that fork() fills with zeros, since a child does not have the page.
 * @switches: the word; NULL after a fork
 * @seen:     what it was when the kernel was asked last
 * @never:    what @switches leads to where there is no page: is not @seen
 * @until:    when the clocks are to be compared again
 * The rest is own_clock.c's.
 */
struct pb_own_clock {
	const uint32_t *switches;
	uint32_t seen;
	uint32_t never;
	uint64_t until;
	void *page;
	uint64_t ticks, cpu_ns; /* when the clocks were compared last */
};

/*
 * What a thread's clock says. A forked child's goes on, for calls that began
 * before the fork.
 */
struct pb_own_time {
	uint64_t asleep; /* ticks that were left out so far */
	uint64_t last;   /* what was read last */
	uint64_t owed;   /* when sleep was found last, if that is not recorded */
};

/* In the thread's struct pb_thread_state; NULL: it has none yet. */
extern __thread struct pb_own_clock *pb_own_clock
	__attribute__((tls_model("initial-exec")));
extern __thread struct pb_own_time pb_own_time
	__attribute__((tls_model("initial-exec")));

#define PB_OWN_CLOCK_NS 10000000

/* Ticks per nanosecond, times 2^32. To be set before a clock is read. */
extern uint64_t pb_own_clock_rate;

/* The thread that it was of is gone: forget it. With the session's lock held. */
void pb_own_clock_release(struct pb_own_clock *own);

/*
 * When the thread has been off the processor, when the clocks are to be compared
 * again, or when there is none yet.
 */
uint64_t pb_own_clock_slowly(void);

/*
 * The counter is read first: if the word is then still what it was, the thread
 * has not been off the processor since, and so not before the counter was read.
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
 * While nothing is recorded, sleep is not: a thread that waits for that would fill
 * its buffer. Before each event: record what there was of it.
 */
void pb_own_clock_record_owed(void);

static inline void pb_own_clock_settle(void)
{
	if (__builtin_expect(pb_own_time.owed != 0, 0))
		pb_own_clock_record_owed();
}

/*
 * Before the first event of a block, so that it can be understood without those
 * before it: record how far this thread's clock is behind the counter.
 */
void pb_own_clock_begin_block(void);

#endif /* PB_TRACE_OWN_CLOCK_H */
