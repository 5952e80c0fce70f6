/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which handlers a tracer has, by its name and what is asked for beside it. */
#ifndef PB_TRACE_TRACER_TABLE_H
#define PB_TRACE_TRACER_TABLE_H

#include <patchbay/patchbay.h>

struct pb_tracer_kind {
	const char *name;
	int events;    /* which triggers can start and stop */
	int histogram; /* the one that is meant beside histogram=1 */
	int depth;     /* or beside depth=N */
	int no_sleep_time; /* or beside sleep-time=0 */
	int sample; /* or beside sample=1/N */
	/* Of function_graph: what is used beside threshold=, by itself then. */
	const struct pb_tracer_kind *with_threshold;
	struct patchbay_ops_attr attr;
	struct patchbay_ops_attr values; /* of functions that args= names */
	struct patchbay_ops_attr typed;	 /* and typed= */
};

/* NULL: there is none of this name, which may be NULL, with all that. */
const struct pb_tracer_kind *pb_tracer_find(const char *name, int histogram,
					    int depth, int no_sleep_time,
					    int sample);

#endif /* PB_TRACE_TRACER_TABLE_H */
