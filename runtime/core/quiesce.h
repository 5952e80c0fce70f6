/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Knowing when nobody is in a handler any more.
 *
 * A trampoline marks its thread as *inside* before it reads the slot, and as
 * outside after the handler has returned. The mark is the value of
 * pb_reader_phase at that time, in the thread's reader (reader.h): plain stores, no
 * atomic exchange and no full barrier; that is on the side of
 * pb_quiesce_begin(), by membarrier(2). This is the scheme of user-space RCU's
 * "memb" flavour with a phase that only grows. The mark of being outside is a
 * store with release semantics, and cell->enter is loaded with acquire: plain
 * instructions on x86-64, to be asked for elsewhere.
 *
 * (Desnoyers et al., User-Level Implementations of Read-Copy Update, IEEE
 * TPDS 23(2), 2012.)
 */
#ifndef PB_CORE_QUIESCE_H
#define PB_CORE_QUIESCE_H

#include "reader.h"

#ifndef __ASSEMBLER__

#include <patchbay/patchbay.h>

/*
 * How a call was let in.
 * PB_ENTERED:         the thread is marked as in a handler: call the tracers
 * PB_ENTERED_TO_MISS: it was in a handler already, or seemed to be: read the tracers,
 *                     to count the call as missed, and call no handler
 * PB_NOT_ENTERED:     there is no mark for the call: read nothing. It has been counted
 *                     (missed.h)
 */
enum pb_entry { PB_ENTERED, PB_ENTERED_TO_MISS, PB_NOT_ENTERED };

/*
 * The general way in and out, for what the trampolines do not do themselves: the first
 * call of a thread, calls from within a handler, calls of a thread that has left a
 * handler for good (left.h). Async-signal-safe.
 *
 * @frame is the trampoline's. From here up to @end there is only one stack, and nothing
 * on it that is anybody else's. *@self is for pb_thread_leave(), which PB_NOT_ENTERED does
 * not need.
 */
enum pb_entry pb_thread_enter(const struct patchbay_regs *frame, const void *end,
			      struct pb_reader **self);
void pb_thread_leave(struct pb_reader *self, enum pb_entry entry);

/*
 * The frames of the handlers that the calling thread is in, innermost last, without
 * those that are not known: returns how many. And for who can prove that the one
 * with @frame will not go on: the thread is not in that one any more.
 * Async-signal-safe.
 */
#define PB_FRAMES_MAX 2
size_t pb_thread_frames(uintptr_t frames[PB_FRAMES_MAX]);
void pb_thread_forget(uintptr_t frame);

/*
 * Is this thread inside a handler? Who asks says where the library's part of the
 * stack ends: at the frame of the function that the program called.
 */
#define pb_thread_inside() pb_thread_inside_below(__builtin_frame_address(0))
int pb_thread_inside_below(const void *frame);

/*
 * Is any handler running that was running at pb_quiesce_begin()? Handlers that
 * are entered later see what was stored before it. It returns 0 or an error of
 * membarrier(2); pb_quiesce_over() returns 1 if there is none, and does not wait:
 * who waits calls pb_wait() (wait.h).
 */
int pb_quiesce_begin(uint64_t *phase);
int pb_quiesce_over(uint64_t phase);

/*
 * The last phase, but not behind @phase, for which pb_quiesce_over() would return 1;
 * or an earlier one, 0 at least, if threads are in handlers that they entered since.
 * It is so for all phases before it, too. @closely: it takes more time, a system call
 * or two for each thread in a handler, and it knows which handlers were left (left.h)
 * and which threads have ended.
 */
uint64_t pb_quiesce_until(uint64_t phase, int closely);

/*
 * The kernel's number of a thread in a handler that was running at
 * pb_quiesce_begin(); 0: there is none, or its number is not known. It takes more
 * time than pb_quiesce_over(): *@over is what that would return if it knew which
 * handlers were left (left.h) and which threads have ended.
 */
int pb_quiesce_thread(uint64_t phase, int *over);

#endif /* __ASSEMBLER__ */

#endif /* PB_CORE_QUIESCE_H */
