/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that are called too often for what they tell (max-rate=), or that cost too
 * much together (max-overhead=): a second tracer counts the calls of each function that
 * is traced, also of those that are shorter than the threshold, of which handlers know
 * nothing; and some times a second the thread that listens looks at what was called, by
 * all threads together, since the last time. It disarms those that were called more often
 * than is allowed. And if the rest of the calls, by what each is known to cost, took more
 * than their part of the processor time that the process had, it disarms the busiest ones
 * until those that are left would not. They are written down as left out, with the reason.
 * When there is room for a while, it arms one of these again (parked.h).
 *
 * What a traced call costs cannot be measured from within the program: most of it is
 * outside of the handlers, and around the function. So `patchbay record` measures it before,
 * with a program and these same options (tool/recording/CallCost.h).
 */
#ifndef PB_TRACE_BUDGET_H
#define PB_TRACE_BUDGET_H

#include <patchbay/patchbay.h>

/*
 * Between two looks: for max-rate= long enough for a rate. For max-overhead= what is armed
 * too much is paid until the next look, so it is soon at first, and handlers ask for one
 * when a function alone takes too much; but if there are so many functions that a look
 * takes long, so many times as long.
 */
#define PB_BUDGET_RATE_MS 100
#define PB_BUDGET_COST_MS 40
#define PB_BUDGET_SOON_MS 2 /* at the beginning, and when something was disarmed */
#define PB_BUDGET_LOOK_PART 500
#define PB_BUDGET_DECIDE_MS 50 /* of what the process takes for itself */
#define PB_BUDGET_QUIET_MS 1000 /* before a function is armed again */

/*
 * Nothing of all this does anything without one of the two. @check: that of the tracer.
 * Returns 0 or -errno.
 */
int pb_budget_begin(int (*check)(void *arg,
				 const struct patchbay_target *target));
/* As the tracer was armed or disarmed just now. */
void pb_budget_arm(const struct patchbay_filter *which, unsigned int flags);
void pb_budget_disarm(const struct patchbay_filter *which);
/* Called by the thread that listens. Returns the ms until the next time, or -1. */
int pb_budget_look(void);
/*
 * Likewise, as soon as it has waited for that: to go to sleep and to be woken takes as long
 * as to look, and is charged, too. What it does then for others is not.
 */
void pb_budget_rested(void);
/* The process is a forked child, in which nobody has looked yet. */
void pb_budget_forked(void);
/*
 * What tracing has cost of late, in millionths of what the process took for itself, or
 * PB_OVERHEAD_UNKNOWN. Called by the thread that listens.
 */
#define PB_OVERHEAD_UNKNOWN UINT32_MAX
uint32_t pb_budget_overhead(void);
/* Returns 0, or an error of patchbay_ops_destroy(). */
int pb_budget_undo(void);

/*
 * When a function has been called so often, and each time that it has been as often again,
 * the thread that listens looks at once; UINT64_MAX: only when it is time to.
 */
extern uint64_t pb_budget_wake_mask;
extern int pb_budget_is_woken;

/* cell->data is a struct pb_index of counters. For general registers only. */
void pb_budget_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);

#endif /* PB_TRACE_BUDGET_H */
