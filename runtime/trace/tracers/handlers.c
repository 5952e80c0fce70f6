/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "functions/index.h"
#include "session/recording.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "system/wake.h"
#include "threads/ring.h"
#include "tracers.h"
#include "watched_call.h"
#include "why.h"

#include <patchbay/exit.h>

uint64_t pb_watch_slow = UINT64_MAX;
int pb_watch_seen;

/*
 * Calls of at least this duration, in ticks, take the slow path, record_long().
 * @long_graph_call is for pb_graph_exit(). It is 0 if there is a threshold or recording is off.
 */
static uint64_t long_call = PBD_DETAIL_MAX + 1, long_graph_call;

void pb_tracer_update_long_call(void)
{
	const uint64_t watch = __atomic_load_n(&pb_watch_slow, __ATOMIC_RELAXED);
	const uint64_t why = __atomic_load_n(&pb_why_threshold, __ATOMIC_RELAXED);
	uint64_t ticks = PBD_DETAIL_MAX + 1;

	if (ticks > watch)
		ticks = watch;
	if (ticks > why)
		ticks = why;
	__atomic_store_n(&long_call, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&long_graph_call,
			 __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED) ? 0 : ticks,
			 __ATOMIC_RELAXED);
}

void pb_threshold_changed(void)
{
	uint64_t ticks;

	/* Another thread may change the threshold at the same time. */
	do {
		ticks = __atomic_load_n(&pb_threshold, __ATOMIC_SEQ_CST);
		for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++)
			if (*pb_tracers[of])
				patchbay_ops_set_threshold(*pb_tracers[of], ticks);
		pb_tracer_update_long_call();
		/* Otherwise the stores above may become visible after another thread's. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (ticks != __atomic_load_n(&pb_threshold, __ATOMIC_SEQ_CST));
}

PB_HANDLER(pb_profile_call)
{
	const struct pb_index *index = cell->data;
	struct pbd_counter *counters = index->of;

	__atomic_fetch_add(&counters[pb_index_get(index, ip)].calls, 1,
			   __ATOMIC_RELAXED);
}

uint64_t pb_budget_wake_mask = UINT64_MAX;
int pb_budget_is_woken;

/* Wake the listening thread, unless it was woken and has not looked yet. */
static __attribute__((noinline)) void wake_budget(void)
{
	if (__atomic_exchange_n(&pb_budget_is_woken, 1, __ATOMIC_RELAXED) ||
	    !pb_syscalls_begin())
		return;
	pb_listen_wake();
	pb_syscalls_end();
}

PB_HANDLER(pb_budget_call)
{
	const struct pb_index *index = cell->data;
	uint64_t *calls = index->of;
	uint64_t nr;

	nr = __atomic_add_fetch(&calls[pb_index_get(index, ip)], 1,
				__ATOMIC_RELAXED);
	if (__builtin_expect(!(nr & pb_budget_wake_mask), 0))
		wake_budget();
}

PB_HANDLER(pb_function_entry)
{
	if (__atomic_load_n(&pb_recording, __ATOMIC_RELAXED))
		pb_ring_record(patchbay_clock(), pb_function_number(cell, ip),
			       (uintptr_t)regs, PBD_RECORD_ENTRY, parent_ip);
}

void pb_record_jump(uintptr_t ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	if (patchbay_exit_reason(regs) & PATCHBAY_EXIT_JUMP)
		pb_ring_record(0, PBD_JUMPED, (uintptr_t)regs, PBD_RECORD_ENTRY,
			       pb_function_number(cell, ip));
}

/* Out of line, so that the fast path saves no registers for this function. */
static __attribute__((noinline)) void
record_unwound(uintptr_t ip, const struct patchbay_cell *cell,
	       struct patchbay_regs *regs, uint64_t start, uint64_t duration)
{
	pb_record_jump(ip, cell, regs);
	pb_ring_record(start, pb_function_number(cell, ip), (uintptr_t)regs,
		       PBD_RECORD_UNWOUND, duration);
}

/* Out of line, so that the fast path saves no registers for this function. */
static __attribute__((noinline)) void
record_long(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	    struct patchbay_regs *regs, uint64_t start, uint64_t duration)
{
	uint64_t function = pb_function_number(cell, ip);

	if (duration < __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED))
		return;
	/* pb_graph_exit() may pass a negative duration. */
	if ((int64_t)duration < 0) {
		if (__atomic_load_n(&pb_threshold, __ATOMIC_RELAXED))
			return;
		duration = 0;
	}
	pb_watch_call(duration);
	if (pb_why_is_wanted(duration))
		pb_why_record(function, parent_ip, regs, duration);
	if (duration > PBD_DETAIL_MAX)
		duration = PBD_DETAIL_MAX;
	if (patchbay_exit_reason(regs) & PATCHBAY_EXIT_UNWIND)
		record_unwound(ip, cell, regs, start, duration);
	else
		pb_ring_record(start, function, (uintptr_t)regs, PBD_RECORD_CALL,
			       duration);
}

/* Inlined, to keep the final calls tail calls of the exit handlers. */
static inline __attribute__((always_inline)) void
record_call(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	    struct patchbay_regs *regs, uint64_t start, uint64_t duration,
	    const uint64_t *limit)
{
	if (__builtin_expect(!pb_is_below(duration, limit), 0)) {
		record_long(ip, parent_ip, cell, regs, start, duration);
		return;
	}
	if (__builtin_expect(patchbay_exit_reason(regs) &
				     PATCHBAY_EXIT_UNWIND, 0))
		record_unwound(ip, cell, regs, start, duration);
	else
		pb_ring_record(start, pb_function_number(cell, ip),
			       (uintptr_t)regs, PBD_RECORD_CALL, duration);
}

PB_HANDLER(pb_duration_exit)
{
	record_call(ip, parent_ip, cell, regs,
		    *patchbay_session_word(cell, regs), patchbay_duration(regs),
		    &long_call);
}

PB_HANDLER(pb_graph_entry)
{
	uint64_t start = patchbay_clock();

	*patchbay_session_word(cell, regs) = start;
	/*
	 * With a threshold entries are not recorded, because the duration is unknown at the
	 * entry.
	 */
	if (pb_is_zero(&pb_threshold))
		pb_ring_record(start, pb_function_number(cell, ip),
			       (uintptr_t)regs, PBD_RECORD_ENTRY, parent_ip);
}

PB_HANDLER(pb_graph_exit)
{
	uint64_t start = *patchbay_session_word(cell, regs);
	/*
	 * Negative if the counters of two processors differ; as an unsigned number, this is
	 * one of the longest durations.
	 */
	uint64_t duration = patchbay_clock() - start;

	record_call(ip, parent_ip, cell, regs, start, duration, &long_graph_call);
}

PB_HANDLER(pb_threshold_graph_exit)
{
	uint64_t start = *patchbay_session_word(cell, regs);
	uint64_t duration = patchbay_clock() - start;

	/*
	 * One comparison suffices, because the threshold is UINT64_MAX while recording is
	 * off.
	 */
	if (!pb_is_below(duration, &pb_threshold))
		record_call(ip, parent_ip, cell, regs, start, duration, &long_call);
}

static void record_events(int recording)
{
	__atomic_store_n(&pb_recording, recording, __ATOMIC_RELAXED);
	__atomic_store_n(&pb_threshold,
			 recording ? __atomic_load_n(&pb_threshold_when_recording,
						     __ATOMIC_RELAXED) :
				     UINT64_MAX,
			 __ATOMIC_SEQ_CST);
	pb_threshold_changed();
}

PB_HANDLER(pb_trigger_start)
{
	record_events(1);
	/*
	 * Write only once: the function may be called often, and writing would slow other
	 * processors.
	 */
	if (!__atomic_load_n(&pb_waiting, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&pb_waiting, 0, __ATOMIC_RELAXED);
	if (pb_session->chunk)
		pb_session_unflag(PBD_SESSION_WAITING);
}

PB_HANDLER(pb_trigger_stop)
{
	record_events(0);
}
