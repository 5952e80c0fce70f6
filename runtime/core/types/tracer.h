/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's data of a tracer. */
#pragma once

#include "types/call_state.h"

#include <patchbay/patchbay.h>

struct pb_filter;

/* A range of cells, by address. */
struct pb_cell_range {
	uintptr_t first, last; /* both included; empty if first > last */
};

/*
 * The memory of a destroyed tracer is only reused for another one: trampolines read @threshold
 * of a tracer that may have been destroyed (arch/x86_64/direct.h).
 *
 * @threshold: in ticks, if @attr.threshold is not NULL
 * @next:   the next unused structure
 * @future: the filters for modules that are not loaded yet (change/plan.h)
 * @cells:  a range that contains all private cells that the tracer was ever armed on. A change
 *          of the tracer walks only this range, which matters with many small tracers
 * @error:  the error of the last attempt to arm the tracer in a newly loaded module, or 0
 * @missed: counts calls that the tracer missed because the thread was in a handler
 */
struct patchbay_ops {
	struct patchbay_ops_attr attr;
	uint64_t threshold;
	struct patchbay_ops *next;
	struct pb_filter *future;
	struct pb_cell_range cells;
	int disabled;
	int error;
	uint64_t missed;
};

/* The number of the last batch. Tracers have their batch's in cell->since (call_state.h). */
extern uint64_t pb_since;
static inline void pb_begin_batch(void)
{
	pb_since = pb_call_next_number(pb_since);
}

static inline int pb_tracer_was_armed(const struct patchbay_ops *ops)
{
	return ops->cells.first <= ops->cells.last;
}
