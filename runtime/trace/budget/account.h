/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compares the cost of tracing with the limit of max-overhead=. Times are CPU times in
 * nanoseconds. The *own* time of the process is the time that it would need without
 * tracing. The *allowance* is the fraction of the own time that tracing may cost. Only the
 * listening thread calls this code.
 *
 * Each *look* (a check of the call counts, budget.h) charges the calls since the previous
 * look. A *decision* covers several looks, because a function that is only busy for a
 * moment may fit the budget.
 */
#ifndef PB_TRACE_ACCOUNT_H
#define PB_TRACE_ACCOUNT_H

#include "call_counts.h"

/*
 * Reset all sums: at the start, and in a forked child, which has copies of its parent's
 * sums.
 */
void pb_account_begin(void);
void pb_account_begin_in_child(void);

/* Returns the fraction of the own time that tracing may cost. */
double pb_account_allowed(void);

/* Charge the calls since the last look. @cpu_ns: the CPU time of the process since then. */
void pb_account_charge(const struct pb_busy *busy, size_t nr, uint64_t cpu_ns);
/*
 * Add the cost of a look to the next charge. Kept separate, because disarming functions
 * does not reduce this cost.
 */
void pb_account_charge_look(uint64_t ns);

/* Is it time to decide? */
int pb_account_is_due(void);
/*
 * Returns how many of the busiest functions must be disarmed, so that the rest stays within
 * the allowance. @busy: all calls since the last decision, the busiest function first.
 */
size_t pb_account_decide(const struct pb_busy *busy, size_t nr);
/*
 * Returns the cost of these calls, as a fraction of the own time since the last decision.
 */
double pb_account_part(uint64_t calls);
/* Begin the next decision. Call this after the last decision has been carried out. */
void pb_account_decided(int has_disarmed);

/*
 * Has the cost been low for long enough to arm a function again? If so, sets *@room to the
 * fraction of the own time that the function may cost, and restarts the waiting time.
 */
int pb_account_has_room(double *room);

/* Returns the recent cost, as a fraction of the own time; negative: unknown. */
double pb_account_overhead(void);

#endif /* PB_TRACE_ACCOUNT_H */
