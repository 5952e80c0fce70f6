/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracers of libpatchbay-trace. Handlers are in files of their own, which
 * are compiled for general registers only; that is what PATCHBAY_OPS_FAST says.
 *
 * function_profile:  counts calls, in the data file itself: no events. With
 *                    histogram=1 it counts how long they took
 * function:          an event at each entry
 * function_duration: an event for each call, at its exit, if it took at least
 *                    as long as the threshold says; entries are only timed
 * function_graph:    an event at each entry, too, unless there is a threshold:
 *                    so calls that never return are there
 */
#ifndef PB_TRACE_TRACERS_H
#define PB_TRACE_TRACERS_H

#include <patchbay/patchbay.h>

/*
 * Data are the same for all functions of a module that are armed at once, so that
 * these share cells. Which function it is that was called, its address says.
 */
#define PB_TRACER_FLAGS (PATCHBAY_OPS_FAST | PATCHBAY_OPS_MODULE_DATA)

/*
 * The number of a function in records of events: what cell->data is, added to its
 * address.
 */
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

/* After pb_watch_slow or pb_why_threshold has changed. */
void pb_tracer_update_long_call(void);

/* The same; the exit handler of a tracer with pb_threshold. */
void pb_duration_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

/* The same; entry and exit handlers, which share a word per call. */
void pb_graph_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_graph_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

/*
 * The exit handler of another tracer with pb_threshold; cell->data is a struct
 * pb_index of functions' numbers. histogram.c.
 */
int pb_histogram_attach(void *data, const struct patchbay_module_info *module,
			struct patchbay_target *targets, size_t nr);
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

/* As those, with the thread's own clock; sleep_time.c. */
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
 * Of some calls only, with pb_sample; cell->data is a struct pb_index of places of
 * threads' own counts. sample.c.
 */
int pb_sample_attach(void *data, const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr);
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

/* How many traced calls may be within each other and are recorded. */
#define PB_DEPTH_MAX 64
extern unsigned int pb_depth;

/*
 * A buffer of events: its first block, and as much as a table of blocks is made for
 * in advance, 8 MB of it.
 */
#define PB_BUFFER_MIN ((uint64_t)4 << 10)
#define PB_BUFFER_MAX ((uint64_t)1 << 40)

/*
 * As function, as function_duration, and beside pb_graph_entry(), with values;
 * values.c.
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

/* Before the record of a call that was unwound: by longjmp(), if it was. */
void pb_record_jump(uintptr_t ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

/* Triggers: they begin and end recording, whatever cell->data is. */
void pb_trigger_start(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_trigger_stop(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);

/*
 * Are events recorded now? And of calls that take how many ticks: UINT64_MAX
 * while they are not, else pb_threshold_when_recording.
 */
extern int pb_recording;
extern uint64_t pb_threshold;
extern uint64_t pb_threshold_when_recording;

#endif /* PB_TRACE_TRACERS_H */
