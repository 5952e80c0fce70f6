/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that were disarmed because they cost too much (budget.h) are *parked* until
 * the budget allows arming them again. The calls of a parked function are not counted, so
 * its present cost is unknown. After each wait its estimated cost is halved. So a
 * function that was busy for a moment comes back soon. A function that costs a hundred
 * times the budget is armed again after minutes, and then less and less often. Only the
 * listening thread calls this code.
 */
#ifndef PB_TRACE_PARKED_H
#define PB_TRACE_PARKED_H

#include <patchbay/patchbay.h>

#include <stdint.h>

/* The first wait. It doubles each time that the function has to be disarmed again. */
#define PB_PARKED_WAIT_NS 1000000000ull
#define PB_PARKED_WAIT_MAX_NS (PB_PARKED_WAIT_NS << 10)

/*
 * Park @entry, which was disarmed from @of at @now_ns (CLOCK_MONOTONIC). It had cost
 * @part of the process's own CPU time.
 */
void pb_parked_add(uintptr_t entry, struct patchbay_ops *of, double part,
		   uint64_t now_ns);
/*
 * Take the cheapest function that has waited long enough and is still loaded, if it costs
 * at most @room. Returns 0 if there is none.
 */
uintptr_t pb_parked_take(double room, uint64_t now_ns, struct patchbay_ops **of);
/* Arm none of them again. */
void pb_parked_forget(void);

#endif /* PB_TRACE_PARKED_H */
