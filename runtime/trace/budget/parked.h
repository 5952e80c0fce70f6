/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that were disarmed because they cost too much (budget.h) are *parked* until the
 * budget allows rearming them. The calls of a parked function are not counted, so its
 * present cost is unknown. Instead, its estimated cost is halved after each wait. A
 * function that was busy for a moment is rearmed soon; a function that costs a hundred
 * times the budget is rearmed after minutes, and then less and less often. Only the
 * listening thread calls this code.
 */
#ifndef PB_TRACE_PARKED_H
#define PB_TRACE_PARKED_H

#include <patchbay/patchbay.h>

#include <stdint.h>

/* The first wait. Each time that the function must be disarmed again, its wait doubles. */
#define PB_PARKED_WAIT_NS 1000000000ull
#define PB_PARKED_WAIT_MAX_NS (PB_PARKED_WAIT_NS << 10)

/*
 * Park @entry, which was disarmed from @of at @now_ns (CLOCK_MONOTONIC). @part: its cost,
 * as a fraction of the process's own CPU time.
 */
void pb_parked_add(uintptr_t entry, struct patchbay_ops *of, double part,
		   uint64_t now_ns);
/*
 * Take the cheapest function that has waited long enough, costs at most @room and is still
 * loaded. Returns 0 if there is none.
 */
uintptr_t pb_parked_take(double room, uint64_t now_ns, struct patchbay_ops **of);
/* Drop all parked functions: they stay disarmed. */
void pb_parked_forget(void);

#endif /* PB_TRACE_PARKED_H */
