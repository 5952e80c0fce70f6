/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that were disarmed since they cost too much (budget.h), until there is room
 * for them again. What one would cost now nobody knows, as nobody counts its calls: it is
 * taken to cost half as much as before whenever it has waited for its time. So one that
 * was busy for a moment comes back soon, and one that costs a hundred times what is
 * allowed is tried after minutes, and then less and less often. The thread that listens
 * is the only one here.
 */
#ifndef PB_TRACE_PARKED_H
#define PB_TRACE_PARKED_H

#include <patchbay/patchbay.h>

#include <stdint.h>

/* The first wait; each time that it was armed again in vain it is twice as long. */
#define PB_PARKED_WAIT_NS 1000000000ull
#define PB_PARKED_WAIT_MAX_NS (PB_PARKED_WAIT_NS << 10)

/*
 * @entry was disarmed at @now_ns, of CLOCK_MONOTONIC, when it cost @part of the time that
 * the process took for itself; @of had been armed on it.
 */
void pb_parked_add(uintptr_t entry, struct patchbay_ops *of, double part,
		   uint64_t now_ns);
/*
 * The one that has waited, is where it was, and costs least, if that is no more than
 * @room; it is not here any more then. Returns 0 if there is none.
 */
uintptr_t pb_parked_take(double room, uint64_t now_ns, struct patchbay_ops **of);
/* None of them is to be armed again. */
void pb_parked_forget(void);

#endif /* PB_TRACE_PARKED_H */
