/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the library keeps of a tracer. */
#ifndef PB_CORE_TRACER_H
#define PB_CORE_TRACER_H

#include <patchbay/patchbay.h>

struct pb_filter;

/* Cells, by their addresses. */
struct pb_cell_range {
	uintptr_t first, last; /* both included; none: the first is higher */
};

/*
 * @next, @link: of the list of all, and what points to this one there
 * @future: the filters for modules to come that it waits for (future.h)
 * @cells:  all cells that it was ever armed on are in this range, so that who
 *          has many tracers with few functions each need not look at the cells
 *          of all whenever one of them changes
 * @error:  of the last attempt to arm it in a module that came, or 0
 * @missed: calls not seen because the thread was in a handler
 */
struct patchbay_ops {
	struct patchbay_ops_attr attr;
	struct patchbay_ops *next, **link;
	struct pb_filter *future;
	struct pb_cell_range cells;
	int disabled;
	int error;
	uint64_t missed;
};

/*
 * What the last batch gave the tracers that it armed: the number in cell->since
 * (call_state.h). Each batch begins with a higher one.
 */
extern uint64_t pb_since;
void pb_begin_batch(void);

/* All tracers. */
extern struct patchbay_ops *pb_tracers;

/* On whatever function, at any time. */
static inline int pb_tracer_was_armed(const struct patchbay_ops *ops)
{
	return ops->cells.first <= ops->cells.last;
}

#endif /* PB_CORE_TRACER_H */
