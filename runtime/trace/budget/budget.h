/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the rate of single functions (max-rate=) and the cost of tracing (max-overhead=).
 * A second tracer counts all calls of each traced function, including calls below the
 * threshold. Several times a second the listening thread *looks* at these counts: it checks
 * how many calls all threads have made since its last look.
 *
 * The thread disarms functions that were called more often than max-rate= allows. Then the
 * thread estimates the cost of the remaining calls as a fraction of the process's CPU time.
 * If the estimate exceeds max-overhead=, the thread disarms the busiest functions until the
 * rest fits. The file lists these functions as left out, with the reason. When the cost
 * stays low for a while, the thread rearms one function (parked.h).
 *
 * The process cannot measure the cost of a traced call, because most of this cost arises
 * outside handlers. So `patchbay record` measures the cost in advance, with a test program
 * and the same options (tool/recording/CallCost.h).
 */
#ifndef PB_TRACE_BUDGET_H
#define PB_TRACE_BUDGET_H

#include <stdint.h>

#define PB_BUDGET_DECIDE_MS 50   /* minimum own time per decision; see account.h */
#define PB_BUDGET_QUIET_MS 1000 /* time with low cost before a function is armed again */

/*
 * Check counts and cost, if a check is due. Called by the listening thread. Returns the ms
 * until the next check, or -1.
 */
int pb_budget_look(void);
/*
 * Called by the listening thread as soon as its wait has ended. Charges sleeping and waking
 * up, which cost about as much as a look. Excludes the thread's work for clients.
 */
void pb_budget_rested(void);
/*
 * Returns the recent cost of tracing, in millionths of the own time, or
 * PB_OVERHEAD_UNKNOWN. Called by the listening thread.
 */
#define PB_OVERHEAD_UNKNOWN UINT32_MAX
uint32_t pb_budget_overhead(void);

#endif /* PB_TRACE_BUDGET_H */
