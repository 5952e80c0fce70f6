/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With why=TIME: of calls that took as long as that it is recorded why. Everything is
 * found out when such a call has ended, so a shorter one costs what it would cost
 * without: it is compared with one more number if it is recorded at all, and makes no
 * system call.
 *
 *  - When the thread was off the processor the kernel has written down meanwhile, in a
 *    page that is mapped (switches.h); where it may say so, with its own stack: what
 *    was waited for. Where it may not, there is the processor time that the thread took
 *    since its last slow call, and so a limit.
 *  - Of the stack a copy is made. Who reads the recording follows it by unwind tables,
 *    so programs need no frame pointers, and nothing here can run astray.
 *  - Which files are mapped where is written down when that has changed (mapped.h).
 */
#ifndef PB_TRACE_WHY_H
#define PB_TRACE_WHY_H

#include "thread.h"

#include <patchbay/exit.h>

/* In ticks; UINT64_MAX: nobody asks. */
extern uint64_t pb_why_threshold;
/* Nanoseconds per tick, times 2^32. */
extern uint64_t pb_why_ns_per_tick;

/* So much of a stack is kept. */
#define PB_WHY_STACK 16384u

/* In the file of this process, with the session's lock held. Returns 0 or -errno. */
int pb_why_write(void);

/* A thread begins, with the session's lock held. */
void pb_why_begin_thread(struct pb_thread_state *self);

/*
 * A call has ended that took @duration ticks: write down what there is to know, and a
 * record that leads there. That of the call comes next. Async-signal-safe.
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
 * With max-overhead=, the processor time that this has taken since it was asked for last, and
 * how much more of it may be taken from now on. At first it is PB_WHY_FIRST_NS.
 */
#define PB_WHY_FIRST_NS 200000
uint64_t pb_why_spent(void);
void pb_why_allow(uint64_t ns);

/* The recording is over. */
void pb_why_forget(void);

#endif /* PB_TRACE_WHY_H */
