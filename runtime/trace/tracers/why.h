/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With why=TIME, records why calls took at least that long. All of this happens after such
 * a call has ended. A recorded shorter call costs only one more comparison.
 *
 *  - The kernel has recorded the thread's off-CPU times in a mapped page (switches.h). If
 *    the user may see kernel stacks, the page also has them, and they show what the thread
 *    waited for. Without such a page there is only the thread's CPU time since its last
 *    slow call, which gives a lower bound.
 *  - The recorder copies the stack, and readers unwind it with unwind tables. So programs
 *    need no frame pointers, and no code here follows pointers on the stack.
 *  - The file mappings are recorded when they have changed (slow_calls.h).
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
 * A call of @duration ticks has ended. Record a struct pbd_slow about it, and two values in
 * the ring: its id (PBD_SLOW_CALL) and the time that this took (PBD_SLOW_COST). The caller then records the call's own event. Async-signal-safe.
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
 * With max-overhead=: pb_why_spent() returns the CPU time that examining slow calls has taken
 * since the last query. pb_why_allow() allows more. The first allowance is PB_WHY_FIRST_NS.
 */
#define PB_WHY_FIRST_NS 200000
uint64_t pb_why_spent(void);
void pb_why_allow(uint64_t ns);

/* The recording is over: forget what was spent. */
void pb_why_forget(void);

#endif /* PB_TRACE_WHY_H */
