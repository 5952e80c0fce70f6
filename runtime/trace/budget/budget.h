/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the rate of single functions (max-rate=) and the cost of tracing
 * (max-overhead=). A second tracer counts the calls of each traced function. It also
 * counts calls below the threshold, which handlers never see. Several times a second the
 * listening thread looks at the calls that all threads have made since its last look.
 *
 * It disarms functions that were called more often than max-rate= allows. It then
 * estimates the cost of the other calls as a part of the CPU time of the process. If that
 * exceeds max-overhead=, it disarms the busiest functions until the rest fits. The file
 * lists these functions as left out, with the reason. When the cost stays low for a
 * while, the thread arms one of them again (parked.h).
 *
 * The program cannot measure the cost of a traced call: most of it lies outside
 * of the handlers, around the function. So `patchbay record` measures it
 * before, with a test program and the same options (tool/recording/CallCost.h).
 */
#ifndef PB_TRACE_BUDGET_H
#define PB_TRACE_BUDGET_H

#include <stdint.h>

#define PB_BUDGET_DECIDE_MS 50   /* minimum CPU time of a decision; see account.h */
#define PB_BUDGET_QUIET_MS 1000 /* time with low cost before a function is armed again */

/* Called by the listening thread. Returns the ms until the next call is due, or -1. */
int pb_budget_look(void);
/*
 * Called by the listening thread as soon as its wait has ended. Charges sleeping and
 * waking up, which cost about as much as a look. The thread's work for clients is not
 * charged.
 */
void pb_budget_rested(void);
/*
 * Recent cost of tracing, in millionths of the process's own CPU time, or
 * PB_OVERHEAD_UNKNOWN. Called by the listening thread.
 */
#define PB_OVERHEAD_UNKNOWN UINT32_MAX
uint32_t pb_budget_overhead(void);

#endif /* PB_TRACE_BUDGET_H */
