/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracers of libpatchbay-trace. Files with handlers are compiled for general registers
 * only, as PATCHBAY_OPS_FAST requires.
 *
 * function_profile:  counts calls in the data file, without events. With
 *                    histogram=1 it counts durations
 * function:          an event at each entry
 * function_duration: an event at the exit of each call that took at least the
 *                    threshold; entries are only timed
 * function_graph:    like function_duration and, without a threshold, an event at
 *                    each entry; so calls without a return are recorded
 */
#ifndef PB_TRACE_TRACERS_H
#define PB_TRACE_TRACERS_H

#include <patchbay/patchbay.h>

/*
 * All functions of a module that are armed together have the same data, so they can share
 * cells. Handlers tell functions apart by address.
 */
#define PB_TRACER_FLAGS (PATCHBAY_OPS_FAST | PATCHBAY_OPS_MODULE_DATA)

/* The number of a function in records of events: cell->data plus its address. */
static inline uint64_t pb_function_number(const struct patchbay_cell *cell,
					  uintptr_t ip)
{
	return (uintptr_t)cell->data + ip;
}

/* The handler of function_profile. cell->data is a struct pb_index of counters (index.h). */
void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
int pb_profile_attach(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);

/* The handler of function. cell->data is for pb_function_number(), here and below. */
void pb_function_entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

/* Call this after pb_watch_slow or pb_why_threshold has changed. */
void pb_tracer_update_long_call(void);

/* The exit handler of function_duration, which has pb_threshold. */
void pb_duration_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

/* The handlers of function_graph, which share a word per call. */
void pb_graph_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_graph_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

/*
 * The exit handler of function_profile with histogram=1, which has pb_threshold. cell->data is
 * a struct pb_index of functions' numbers. histogram.c.
 */
void pb_histogram_exit(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

/* Handlers of function_duration and function_graph with depth=N (pb_depth); depth.c. */
void pb_depth_duration_entry(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs);
void pb_depth_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs);
void pb_depth_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

/* Handlers of tracers with sleep-time=0, by the thread's own clock; sleep_time.c. */
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
 * Handlers of tracers with sample=1/N. cell->data is a struct pb_index of places in the
 * threads' tables. sample.c.
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

/* The N of depth=N, at most PB_DEPTH_MAX. */
extern unsigned int pb_depth;

/*
 * Handlers of function, function_duration and, for exits, function_graph, with args=; values.c.
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

/* Record whether longjmp() has left an unwound call. Call this before the call's own record. */
void pb_record_jump(uintptr_t ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/*
 * For the second tracer of max-rate= and max-overhead= (budget.h). After each
 * pb_budget_wake_mask + 1 calls of a function, its handler wakes the listening thread to
 * look. UINT64_MAX: never.
 */
extern uint64_t pb_budget_wake_mask;
extern int pb_budget_is_woken;

/* The handler of that tracer. cell->data is a struct pb_index of counters. */
void pb_budget_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/* Handlers of triggers, which begin and end recording. They ignore cell->data. */
void pb_trigger_start(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_trigger_stop(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);

#endif /* PB_TRACE_TRACERS_H */
