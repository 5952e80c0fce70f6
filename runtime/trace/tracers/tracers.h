/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracers of libpatchbay-trace. Files with handlers are compiled for general registers
 * only, as PATCHBAY_OPS_FAST requires.
 *
 * function_profile:  counts calls in the data file, without events. With
 *                    histogram=1 it counts durations
 * function:          an event at each entry
 * function_duration: an event at the exit of each call that took at least the
 *                    threshold; at entries only the time is read
 * function_graph:    like function_duration and, without a threshold, an event at
 *                    each entry; so calls without a return are recorded
 */
#ifndef PB_TRACE_TRACERS_H
#define PB_TRACE_TRACERS_H

#include "functions/modules.h"

#include <patchbay/patchbay.h>

/*
 * Functions of a module that are armed together have equal data, so that they can share
 * cells. Handlers distinguish functions by address.
 */
#define PB_TRACER_FLAGS (PATCHBAY_OPS_FAST | PATCHBAY_OPS_MODULE_DATA)

/* Declares or defines a handler, whose parameters may be unused. */
#define PB_HANDLER(name)                                                       \
	void name(__attribute__((unused)) uintptr_t ip,                        \
		  __attribute__((unused)) uintptr_t parent_ip,                 \
		  __attribute__((unused)) const struct patchbay_cell *cell,    \
		  __attribute__((unused)) struct patchbay_regs *regs)

/* Returns the number of a function in records of events: cell->data plus the address. */
static inline uint64_t pb_function_number(const struct patchbay_cell *cell,
					  uintptr_t ip)
{
	return (uintptr_t)cell->data + ip;
}

/* function_profile. cell->data is a struct pb_index of counters (index.h). */
PB_HANDLER(pb_profile_call);
PB_ATTACH(pb_profile_attach);

/*
 * function. From here on, cell->data is the argument of pb_function_number() unless stated
 * otherwise.
 */
PB_HANDLER(pb_function_entry);

/* Call this after pb_threshold has changed. */
void pb_threshold_changed(void);

/* Call this after pb_watch_slow or pb_why_threshold has changed. */
void pb_tracer_update_long_call(void);

/* function_duration; its threshold is pb_threshold. */
PB_HANDLER(pb_duration_exit);

/* function_graph. Both handlers share the session word of a call. */
PB_HANDLER(pb_graph_entry);
PB_HANDLER(pb_graph_exit);
PB_HANDLER(pb_threshold_graph_exit); /* if the recording begins with a threshold */

/*
 * function_profile with histogram=1 (histogram.c). Its threshold is pb_threshold.
 * cell->data is a struct pb_index of function numbers.
 */
PB_HANDLER(pb_histogram_exit);

/*
 * function_duration and function_graph with depth=N (depth.c). pb_depth: N, at most
 * PB_DEPTH_MAX.
 */
extern unsigned int pb_depth;
PB_HANDLER(pb_depth_duration_entry);
PB_HANDLER(pb_depth_graph_entry);
PB_HANDLER(pb_depth_exit);

/* Tracers with sleep-time=0 (sleep_time.c). */
PB_HANDLER(pb_awake_entry);
PB_HANDLER(pb_awake_graph_entry);
PB_HANDLER(pb_awake_exit);
PB_HANDLER(pb_awake_histogram_exit);

/*
 * Tracers with sample=1/N (sample.c). cell->data is a struct pb_index of places in the
 * threads' tables. pb_sample_set() sets N, and discards open trees; 0: all calls.
 */
void pb_sample_set(uint64_t n);
PB_HANDLER(pb_sample_function_entry);
PB_HANDLER(pb_sample_function_values);
PB_HANDLER(pb_sample_duration_entry);
PB_HANDLER(pb_sample_graph_entry);
PB_HANDLER(pb_sample_exit);
PB_HANDLER(pb_sample_values_exit);

/* function, function_duration and, for exits, function_graph, with args= (values.c). */
PB_HANDLER(pb_values_entry);
PB_HANDLER(pb_values_duration_entry);
PB_HANDLER(pb_values_graph_exit);

/* function, function_duration and function_graph, for functions of typed= (typed.c). */
PB_HANDLER(pb_typed_entry);
PB_HANDLER(pb_typed_duration_entry);
PB_HANDLER(pb_typed_graph_entry);
PB_HANDLER(pb_typed_exit);

/*
 * Handlers that count calls without a return (losses.h), for tracers with an entry handler
 * (returns.c). NAME_counted() calls NAME() and counts. For tracers with a threshold and no
 * entry handler, libpatchbay counts.
 *
 * function_graph without a threshold needs no such handlers, because it records each entry.
 */
PB_HANDLER(pb_graph_entry_counted);
PB_HANDLER(pb_values_duration_entry_counted);
PB_HANDLER(pb_depth_duration_entry_counted);
PB_HANDLER(pb_depth_graph_entry_counted);
PB_HANDLER(pb_awake_entry_counted);
PB_HANDLER(pb_awake_graph_entry_counted);
PB_HANDLER(pb_sample_duration_entry_counted);
PB_HANDLER(pb_sample_graph_entry_counted);
PB_HANDLER(pb_typed_duration_entry_counted);
PB_HANDLER(pb_typed_graph_entry_counted);
PB_HANDLER(pb_threshold_graph_exit_counted);
PB_HANDLER(pb_values_graph_exit_counted);
PB_HANDLER(pb_depth_exit_counted);
PB_HANDLER(pb_awake_exit_counted);
PB_HANDLER(pb_awake_histogram_exit_counted);
PB_HANDLER(pb_sample_exit_counted);
PB_HANDLER(pb_sample_values_exit_counted);
PB_HANDLER(pb_typed_exit_counted);

/*
 * Begin to record jumps (longjmp.c). Call this once, while the process has only one thread.
 */
void pb_longjmp_start(void);

/* If longjmp() has left the call, record that. Call this before recording the call. */
void pb_record_jump(uintptr_t ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/* libpatchbay calls this when the tracer @ops has missed a call (core/system/private.h). */
void pb_count_missed(const struct patchbay_ops *ops);

/*
 * The second tracer of max-rate= and max-overhead= (budget.h). cell->data is a struct
 * pb_index of counters. Every pb_budget_wake_mask + 1 calls of a function, the handler
 * wakes the listening thread; UINT64_MAX: never.
 */
extern uint64_t pb_budget_wake_mask;
extern int pb_budget_is_woken;
PB_HANDLER(pb_budget_call);

/* Handlers of start-at= and stop-at=, which ignore cell->data. */
PB_HANDLER(pb_trigger_start);
PB_HANDLER(pb_trigger_stop);

#endif /* PB_TRACE_TRACERS_H */
