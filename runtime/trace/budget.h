/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that are called too often for what they tell (max-rate=): a second tracer
 * counts the calls of each function that is traced, also of those that are shorter than
 * the threshold, of which handlers know nothing; and ten times a second the thread that
 * listens disarms those that were called more often, by all threads together, than is
 * allowed. They are written down as left out, with the reason. So what tracing costs is
 * limited by the number of functions, whatever they do.
 */
#ifndef PB_TRACE_BUDGET_H
#define PB_TRACE_BUDGET_H

#include <patchbay/patchbay.h>

/* Between two looks: long enough for a rate, short for who pays. */
#define PB_BUDGET_LOOK_MS 100

/*
 * Nothing of all this does anything without max-rate=. @check: that of the tracer.
 * Returns 0 or -errno.
 */
int pb_budget_begin(int (*check)(void *arg,
				 const struct patchbay_target *target));
/* As the tracer was armed or disarmed just now. */
void pb_budget_arm(const struct patchbay_filter *which, unsigned int flags);
void pb_budget_disarm(const struct patchbay_filter *which);
/* Called by the thread that listens. Returns the ms until the next time, or -1. */
int pb_budget_look(void);
/* Returns 0, or an error of patchbay_ops_destroy(). */
int pb_budget_undo(void);

/* cell->data is a struct pb_index of counters. For general registers only. */
void pb_budget_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

#endif /* PB_TRACE_BUDGET_H */
