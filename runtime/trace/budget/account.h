/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Computes what tracing costs, and what max-overhead= allows it to cost. Times are CPU
 * times in nanoseconds. The *own* time of the process is what it would need without
 * tracing; the *allowance* is a part of that. Only the listening thread calls this
 * code.
 *
 * Each look charges the calls since the previous look. A *decision* covers
 * several looks, because a short time is not representative: a function may
 * be busy for a moment and still fit the budget.
 */
#ifndef PB_TRACE_ACCOUNT_H
#define PB_TRACE_ACCOUNT_H

#include "call_counts.h"

/* Reset all sums, at the start and in a forked child, which inherits its parent's. */
void pb_account_begin(void);
void pb_account_begin_in_child(void);

/* The part of the process's own time that tracing may cost. */
double pb_account_allowed(void);

/*
 * Charge the calls since the last look. The process has used @cpu_ns of CPU time since
 * then.
 */
void pb_account_charge(const struct pb_busy *busy, size_t nr, uint64_t cpu_ns);
/*
 * Charge the cost of a look, in the next call of pb_account_charge(). Disarming functions
 * does not reduce this cost.
 */
void pb_account_charge_look(uint64_t ns);

/* Is it time to decide? */
int pb_account_is_due(void);
/*
 * The number of busiest functions to disarm, so that the others stay within the
 * allowance. @busy: all calls since the last decision, the busiest first.
 */
size_t pb_account_decide(const struct pb_busy *busy, size_t nr);
/* The part of the process's own time since the last decision that these calls cost. */
double pb_account_part(uint64_t calls);
/* Begin the next decision. Call it after the last one has been carried out. */
void pb_account_decided(int has_disarmed);

/*
 * Has the cost been low for long enough to arm a function again? If so, sets
 * *@room to the part of the process's own time that the function may cost, and
 * restarts the waiting time.
 */
int pb_account_has_room(double *room);

/* Recent cost as a part of the process's own time; negative: unknown. */
double pb_account_overhead(void);

#endif /* PB_TRACE_ACCOUNT_H */
