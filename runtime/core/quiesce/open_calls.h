/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Timed calls that have no return. A tracer with a threshold is called at exits only, so
 * it never hears of a call that something leaves without an exit: __builtin_longjmp(), an
 * unwinder that asks no personality, a panic of Go through frames of C. So each thread
 * counts such calls, one more where a call begins and one less where its exit is told;
 * the rest has no return.
 *
 *	begins		pb_timed_entry(), or the direct way of x86-64 (direct.h)
 *	ends		pb_timed_exit(), or the direct way; or as one that is missed
 *
 * A call may begin in one thread and end in another, as those of fibers do. Only the sum
 * of all threads says something.
 */
#ifndef PB_CORE_OPEN_CALLS_H
#define PB_CORE_OPEN_CALLS_H

#include "quiesce/reader.h"

/*
 * Where the count of a thread with a reader begins. That of a thread without one is not
 * negative: the direct way sees by that, and lets the general way find a reader.
 */
#define PB_OPEN_CALLS_FIRST (INT64_MIN / 2)

/* The calling thread has a reader, or gives it back. */
void pb_open_calls_begin(void);
void pb_open_calls_end(void);

/* In a forked child: calls that its parent has begun may end there. */
void pb_open_calls_fork(void);

#endif /* PB_CORE_OPEN_CALLS_H */
