/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With why=TIME, records the causes of calls that took at least TIME, when such a call has
 * ended. A shorter call costs only one more comparison.
 *
 *  - The kernel has written the thread's off-CPU times to a mapped ring (switches.h) and,
 *    if the user may see kernel stacks, the stacks that show what the thread waited for.
 *    Without a ring, the thread's CPU time since its last slow call gives a lower bound of
 *    the off-CPU time.
 *  - The handler copies the stack, and readers unwind the copy by unwind tables. So
 *    programs need no frame pointers, and handlers do not follow pointers on the stack.
 *  - The executable mappings are recorded when they have changed (slow_calls.h).
 */
#ifndef PB_TRACE_WHY_H
#define PB_TRACE_WHY_H

#include "threads/thread.h"

#include <patchbay/exit.h>

/* The threshold in ticks; UINT64_MAX: why= is off. */
extern uint64_t pb_why_threshold;
/* Nanoseconds per tick, times 2^32. */
extern uint64_t pb_why_ns_per_tick;

/*
 * Record a struct pbd_slow about a call of @duration ticks that has ended, and two values
 * in the ring: the id of the struct (PBD_SLOW_CALL) and the time that this function took
 * (PBD_SLOW_COST). The caller then records the call's own event. Async-signal-safe.
 */
void pb_why_record(uint64_t function, uintptr_t parent_ip,
		   struct patchbay_regs *regs, uint64_t duration);

static inline int pb_why_is_wanted(uint64_t duration)
{
	return __builtin_expect(duration >= __atomic_load_n(&pb_why_threshold,
							    __ATOMIC_RELAXED),
				0);
}

/*
 * For max-overhead=. pb_why_spent() returns the CPU time of examining slow calls since its
 * last call. pb_why_allow() adds an allowance. The first allowance is PB_WHY_FIRST_NS.
 */
#define PB_WHY_FIRST_NS 200000
uint64_t pb_why_spent(void);
void pb_why_allow(uint64_t ns);

/* The recording is over: free the data of slow calls, and reset the variables. */
void pb_why_forget(void);

#endif /* PB_TRACE_WHY_H */
