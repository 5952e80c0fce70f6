/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with args=GLOB. Before the event of a call they record one event for each
 * argument and for the result. The function's record (<patchbay/abi.h>) contains the
 * locations of values, but no types.
 */
#include "context.h"
#include "session/recording.h"
#include "threads/ring.h"
#include "tracers.h"
#include "watched_call.h"
#include "why.h"

#include <patchbay/args.h>
#include <patchbay/exit.h>

/* Record a value, with the function's number as detail. */
static void record_value(unsigned int which, uint64_t value, uintptr_t ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs)
{
	pb_ring_record(value, PBD_VALUE + which, (uintptr_t)regs,
		       PBD_RECORD_ENTRY, pb_function_number(cell, ip));
}

static void record_args(uintptr_t ip, const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
{
	uint64_t *arg;

	for (unsigned int n = 0; n < PBD_VALUE_ARGS; n++) {
		if (patchbay_arg(cell, regs, n, &arg))
			return;
		record_value(n, *arg, ip, cell, regs);
	}
}

static void record_result(uintptr_t ip, const struct patchbay_cell *cell,
			  struct patchbay_regs *regs)
{
	unsigned int kind = cell->record->flags & PATCHBAY_RECORD_RETURN_MASK;

	if (kind == PATCHBAY_RECORD_RETURN_GP)
		record_value(PBD_VALUE_RESULT, *patchbay_result_gp(regs, 0),
			     ip, cell, regs);
	else if (kind == PATCHBAY_RECORD_RETURN_FP)
		record_value(PBD_VALUE_RESULT_FP, *patchbay_result_fp(regs, 0),
			     ip, cell, regs);
}

PB_HANDLER(pb_values_entry)
{
	if (!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED))
		return;
	record_args(ip, cell, regs);
	if (pb_context_wanted)
		pb_context_record(pb_function_number(cell, ip), cell, regs);
	pb_ring_record(patchbay_clock(), pb_function_number(cell, ip),
		       (uintptr_t)regs, PBD_RECORD_ENTRY, parent_ip);
}

static void record_call(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs, uint64_t start,
			uint64_t duration)
{
	enum pbd_record_kind kind = PBD_RECORD_CALL;
	uint64_t ticks;

	pb_watch_call(duration);
	ticks = duration;
	if (duration > PBD_DETAIL_MAX)
		duration = PBD_DETAIL_MAX;
	record_args(ip, cell, regs);
	if (patchbay_exit_reason(regs) & PATCHBAY_EXIT_UNWIND) {
		kind = PBD_RECORD_UNWOUND;
		pb_record_jump(ip, cell, regs);
	} else {
		record_result(ip, cell, regs);
	}
	if (pb_context_wanted)
		pb_context_record(pb_function_number(cell, ip), cell, regs);
	if (pb_why_is_wanted(ticks))
		pb_why_record(pb_function_number(cell, ip), parent_ip, regs,
			      ticks);
	pb_ring_record(start, pb_function_number(cell, ip), (uintptr_t)regs,
		       kind, duration);
}

/* libpatchbay does not keep the arguments of calls that it times (tracer.h). */
PB_HANDLER(pb_values_duration_entry)
{
	*patchbay_session_word(cell, regs) = patchbay_clock();
}

PB_HANDLER(pb_values_graph_exit)
{
	uint64_t start = *patchbay_session_word(cell, regs);
	uint64_t duration = patchbay_ticks(start, patchbay_clock());

	if (duration >= __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED))
		record_call(ip, parent_ip, cell, regs, start, duration);
}
