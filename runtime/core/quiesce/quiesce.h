/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer quiesce/: finds the threads in handlers, and waits for them. Threads mark
 * themselves, and wait for others, without a lock on the list of threads. The marks are in
 * memory that is never unmapped.
 *
 * Grace periods: detect when all handlers that were running have returned.
 *
 * A trampoline marks its thread as *inside* before it reads the slot. It marks the
 * thread as *outside* after the handler has returned. The mark is the value of
 * pb_reader_phase at the entry, in the thread's reader (reader.h). Marking is a plain
 * store, without an atomic exchange or a full barrier: pb_quiesce_begin() supplies the
 * full barrier, by membarrier(2). This is the scheme of user-space RCU's "memb" flavour,
 * with a phase that only grows. The store that marks a thread as outside is a release.
 * The load of cell->enter is an acquire. Both are plain instructions on x86-64; other
 * architectures need special instructions.
 *
 * (Desnoyers et al., User-Level Implementations of Read-Copy Update, IEEE
 * TPDS 23(2), 2012.)
 */
#pragma once

#include "quiesce/reader.h"

#ifndef __ASSEMBLER__

#include <patchbay/patchbay.h>

/*
 * The result of pb_thread_enter().
 * PB_ENTERED:         the thread is marked as in a handler: call the tracers
 * PB_ENTERED_TO_MISS: the thread was in a handler already, or an abandoned handler was not
 *                     detected: read the tracers to count the call as missed, and call no
 *                     handler
 * PB_NOT_ENTERED:     the thread is not marked: read nothing. pb_thread_enter() has counted
 *                     the call
 */
enum pb_entry { PB_ENTERED, PB_ENTERED_TO_MISS, PB_NOT_ENTERED };

/*
 * Mark the calling thread as inside and as outside, in the cases that the trampolines do
 * not handle: the first call of a thread, calls from within a handler, and calls of a
 * thread that has abandoned a handler (handler_frame.h). Async-signal-safe.
 *
 * @frame belongs to the trampoline. The stack from the caller's frame up to @end is one
 * stack, in use by the library only. Pass *@self to pb_thread_leave(), except after
 * PB_NOT_ENTERED.
 */
enum pb_entry pb_thread_enter(const struct patchbay_regs *frame, const void *end,
			      struct pb_reader **self);
void pb_thread_leave(struct pb_reader *self, enum pb_entry entry);

/*
 * pb_thread_frames() stores the known frames of the handlers that the calling thread is
 * in, innermost last, and returns their number. pb_thread_forget() removes the mark that
 * has @frame: the caller has proved that the handler with @frame will not continue.
 * Async-signal-safe.
 */
#define PB_FRAMES_MAX 2
size_t pb_thread_frames(uintptr_t frames[PB_FRAMES_MAX]);
void pb_thread_forget(uintptr_t frame);

/*
 * Is this thread inside a handler? @frame is the frame of the library function that the
 * program has called: the stack below @frame belongs to the library.
 */
#define pb_thread_inside() pb_thread_inside_below(__builtin_frame_address(0))
int pb_thread_inside_below(const void *frame);

/*
 * pb_quiesce_begin() starts a grace period. Returns 0 or an error of membarrier(2).
 * Handlers that are entered later see all stores made before the call. pb_quiesce_over()
 * returns 1 if all handlers that were running at pb_quiesce_begin() have returned, and
 * does not wait.
 */
int pb_quiesce_begin(uint64_t *phase);
int pb_quiesce_over(uint64_t phase);

/*
 * Returns the last phase, at most @phase, for which pb_quiesce_over() would return 1. The result
 * is an earlier phase if a thread has entered a handler with an old copy of the phase
 * (@next_phase in reader.h). @closely: also detect abandoned handlers (handler_frame.h) and
 * ended threads, by one or two system calls for each thread in a handler.
 */
uint64_t pb_quiesce_until(uint64_t phase, int closely);

/*
 * Returns the id of a thread that has been in a handler since before the grace period
 * @phase, or 0 if there is none or its id is unknown. Sets *@over to the result of
 * pb_quiesce_over(), but detects abandoned handlers (handler_frame.h) and ended threads,
 * too. This costs as much as pb_quiesce_until() with @closely.
 */
int pb_quiesce_thread(uint64_t phase, int *over);

/* Count one call that the cell's tracer misses. Async-signal-safe. */
void pb_miss(const struct patchbay_cell *cell);

/*
 * Wait until every handler that was running at the time of the call has returned.
 * Handlers that are entered during the wait see all stores made before the call.
 * Returns 0, -EDEADLK from within a handler, -ETIMEDOUT after the limit of
 * patchbay_set_wait_limit(), or an error of membarrier(2).
 *
 * The caller holds the caller lock and no other lock of lock.h: threads in handlers may be
 * waiting for the others.
 */
int pb_wait(void);

/*
 * Returns the last phase, at most @phase, whose handlers have all returned
 * (pb_quiesce_until()). Does not wait. From time to time this also looks closely, for
 * abandoned handlers. Otherwise a sleeping thread that has abandoned a handler would
 * block all deferred work. *@looked is the time of the last close look, initially 0. Each
 * call site needs its own @looked, or only the first call site would look closely.
 *
 * The caller holds the change lock and not the engine lock, because a close look makes
 * system calls.
 */
uint64_t pb_over_until(uint64_t phase, int64_t *looked);

#endif /* __ASSEMBLER__ */
