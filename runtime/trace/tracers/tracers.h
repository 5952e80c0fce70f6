/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracers of libpatchbay-trace. Their handlers are in separate files, which
 * are compiled for general registers only. PATCHBAY_OPS_FAST says so.
 *
 * function_profile:  counts calls, in the data file itself, without events. With
 *                    histogram=1 it counts durations
 * function:          an event at each entry
 * function_duration: an event at the exit of each call that took at least the
 *                    threshold; entries are only timed
 * function_graph:    also an event at each entry, unless there is a threshold;
 *                    so calls that never return are recorded
 */
#ifndef PB_TRACE_TRACERS_H
#define PB_TRACE_TRACERS_H

#include <patchbay/patchbay.h>

/*
 * All functions of a module that are armed at once have the same data, so that
 * they share cells. The address tells which function was called.
 */
#define PB_TRACER_FLAGS (PATCHBAY_OPS_FAST | PATCHBAY_OPS_MODULE_DATA)

/* The number of a function in records of events: cell->data plus its address. */
static inline uint64_t pb_function_number(const struct patchbay_cell *cell,
					  uintptr_t ip)
{
	return (uintptr_t)cell->data + ip;
}

/* cell->data is a struct pb_index of counters' places; index.h. */
void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
int pb_profile_attach(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);

/* cell->data is for pb_function_number(). */
void pb_function_entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

/* Call after pb_watch_slow or pb_why_threshold has changed. */
void pb_tracer_update_long_call(void);

/* Likewise; the exit handler of a tracer with pb_threshold. */
void pb_duration_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

/* Likewise; entry and exit handlers, which share a word per call. */
void pb_graph_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_graph_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

/*
 * The exit handler of a tracer with pb_threshold. cell->data is a struct
 * pb_index of functions' numbers. histogram.c.
 */
void pb_histogram_exit(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

/* As function_duration and function_graph, with pb_depth; depth.c. */
void pb_depth_duration_entry(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs);
void pb_depth_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs);
void pb_depth_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

/* The same with the thread's own clock; sleep_time.c. */
void pb_awake_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_awake_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs);
void pb_awake_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);
void pb_awake_histogram_exit(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs);

/*
 * Record some calls only, by pb_sample. cell->data is a struct pb_index of
 * places in threads' own counters. sample.c.
 */
void pb_sample_function_entry(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs);
void pb_sample_function_values(uintptr_t ip, uintptr_t parent_ip,
			       const struct patchbay_cell *cell,
			       struct patchbay_regs *regs);
void pb_sample_duration_entry(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs);
void pb_sample_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs);
void pb_sample_exit(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_sample_values_exit(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs);

/* At most PB_DEPTH_MAX. */
extern unsigned int pb_depth;

/*
 * As function, function_duration, and the exit handler of function_graph, with
 * values; values.c.
 */
void pb_values_entry(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
void pb_values_exit(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_values_graph_exit(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs);

/* Call before the record of an unwound call: records whether longjmp() left it. */
void pb_record_jump(uintptr_t ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/*
 * The second tracer of max-rate= and max-overhead= (budget.h). The listening thread looks at once each time that a function has been called
 * this many times more. UINT64_MAX: it looks only when a look is due.
 */
extern uint64_t pb_budget_wake_mask;
extern int pb_budget_is_woken;

/* cell->data is a struct pb_index of counters. Uses general registers only. */
void pb_budget_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/* Triggers begin and end recording. They ignore cell->data. */
void pb_trigger_start(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_trigger_stop(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);

#endif /* PB_TRACE_TRACERS_H */
