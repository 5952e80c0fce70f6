/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Timed calls that never return. A tracer with a threshold is called at exits only. It
 * does not see a call that ends without an exit: by __builtin_longjmp(), by an unwinder
 * that calls no personality function, or by a panic of Go through frames of C. So each
 * thread counts open calls: +1 where a call begins, -1 where its exit is reported. The
 * calls that stay open never return.
 *	begins		pb_timed_entry(), or the direct way of x86-64 (direct.h)
 *	ends		pb_timed_exit(), or the direct way; or a missed call
 *
 * A signal handler may abandon the exit handler by longjmp(). So the count drops only after
 * the exit handler has run: a call whose exit handler was abandoned stays open.
 *
 * A call of a fiber may begin in one thread and end in another. Only the sum of all
 * threads has a meaning.
 */
#pragma once

#include "quiesce/reader.h"

/*
 * The initial count of a thread with a reader. The count of a thread without a reader is
 * not negative: then the direct way does not handle the call.
 */
#define PB_OPEN_CALLS_FIRST (INT64_MIN / 2)

/* Call these when the calling thread has got a reader, and before it gives the reader back. */
void pb_open_calls_begin(void);
void pb_open_calls_end(void);

/* Run in a forked child: calls that began in the parent may also end in the child. */
void pb_open_calls_fork(void);
