/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracers with sleep-time=0, which time calls by the thread's own clock (own_clock.h). */
#include "session/recording.h"
#include "session/syscalls.h"
#include "threads/own_clock.h"
#include "threads/ring.h"
#include "tracers.h"

PB_HANDLER(pb_awake_entry)
{
	*patchbay_session_word(cell, regs) = pb_own_clock_now();
}

PB_HANDLER(pb_awake_graph_entry)
{
	uint64_t start = pb_own_clock_now();

	if (pb_sandboxed)
		return; /* the exit handler counts the loss */
	*patchbay_session_word(cell, regs) = start;
	if (!__atomic_load_n(&pb_threshold, __ATOMIC_RELAXED)) {
		pb_own_clock_settle();
		pb_ring_record(start, pb_function_number(cell, ip),
			       (uintptr_t)regs, PBD_RECORD_ENTRY, parent_ip);
	}
}

/*
 * Is the duration unknown? In a sandbox the thread cannot read its CPU time. Counts the
 * call as lost.
 */
static int is_unknown(void)
{
	if (__builtin_expect(!pb_sandboxed, 1))
		return 0;
	pb_ring_lose(PBD_LOST_SANDBOX);
	return 1;
}

/*
 * Compute the duration, and compare it with the threshold, as libpatchbay does for other
 * tracers.
 */
static inline int is_long(const struct patchbay_cell *cell,
			  struct patchbay_regs *regs)
{
	uint64_t duration = patchbay_ticks(*patchbay_session_word(cell, regs),
					   pb_own_clock_now());

	patchbay_call(regs)->duration = duration;
	return duration >= __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED);
}

PB_HANDLER(pb_awake_exit)
{
	if (!is_unknown() && is_long(cell, regs)) {
		pb_own_clock_settle();
		pb_duration_exit(ip, parent_ip, cell, regs);
	}
}

PB_HANDLER(pb_awake_histogram_exit)
{
	if (!is_unknown() && is_long(cell, regs))
		pb_histogram_exit(ip, parent_ip, cell, regs);
}
