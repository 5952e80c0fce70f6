/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the handlers of a tracer, by name and options. */
#ifndef PB_TRACE_TRACER_TABLE_H
#define PB_TRACE_TRACER_TABLE_H

#include "session/recording.h"

struct pb_tracer_kind {
	const char *name;
	int events;    /* records events, which triggers can start and stop */
	int histogram; /* the variant for histogram=1 */
	int depth;     /* the variant for depth=N */
	int no_sleep_time; /* the variant for sleep-time=0 */
	int sample; /* the variant for sample=1/N */
	/*
	 * function_graph: the variant for threshold= (which points to itself); other
	 * tracers: NULL.
	 */
	const struct pb_tracer_kind *with_threshold;
	struct patchbay_ops_attr attr[PB_NR_TRACERS];
};

/* Returns NULL if no tracer has this name and these options. @name may be NULL. */
const struct pb_tracer_kind *pb_tracer_find(const char *name, int histogram,
					    int depth, int no_sleep_time,
					    int sample);

#endif /* PB_TRACE_TRACER_TABLE_H */
