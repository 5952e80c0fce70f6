/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Abandoned handlers. A signal handler may interrupt a tracer's handler and leave it by
 * siglongjmp(), for example when a computation times out. The tracer's handler never
 * returns. Its thread stays marked as inside.
 *
 * A handler runs below the frame that its trampoline made on the stack. While the handler
 * may continue, that frame exists. This holds on any stack: the thread's own, an alternate
 * stack (sigaltstack(2)), or a suspended coroutine's. So the library accepts two proofs:
 * - *The memory of the frame has been reused*: the handler was abandoned.
 * - A longjmp() or an unwinder is about to skip the frame (jump.c): the handler will be
 *   abandoned.
 * Addresses alone prove nothing. A thread that runs above the frame may be in a signal
 * handler on another stack, or in another coroutine, and return to the handler later.
 *
 * The library detects reuse late, or never if the thread never again needs that much
 * stack. Until then the thread's calls are missed, and counted. The opposite error, to
 * treat a running handler as abandoned, would be a use after free.
 */
#pragma once

#include "quiesce/reader.h"

#include <patchbay/patchbay.h>

/*
 * A word of a trampoline's frame that does not change before the trampoline has marked
 * its thread as outside (arch/offsets.c).
 * @at:    the offset from struct patchbay_regs, in bytes
 * @value: the value there; 0: the lower half of the address of the thread's reader
 */
struct pb_frame_mark {
	int at;
	uint32_t value;
};

extern const struct pb_frame_mark pb_frame_mark;

/*
 * Has the thread of @reader abandoned the handler with @frame? @frame is not 0. The frame is
 * read by a system call, because it may be unmapped by now. @reader may belong to any
 * thread. Async-signal-safe; preserves errno.
 */
int pb_handler_is_gone(const struct pb_reader *reader, uintptr_t frame);

/*
 * Has the calling thread abandoned the handler with @frame? The caller uses the stack from
 * @from to @to. Makes no system call, and may miss an abandoned handler.
 */
int pb_handler_is_overwritten(const struct pb_reader *self, uintptr_t frame,
			      uintptr_t from, uintptr_t to);

/*
 * Like pb_handler_is_overwritten(), for callers with time and stack to spare. Reliably detects an
 * abandoned handler not far below @to, where the library's part of the stack begins.
 */
int pb_handler_is_surely_gone(const struct pb_reader *self, uintptr_t frame,
			      uintptr_t to);

/*
 * Store the mark of @reader into @frame. The trampoline may have stored the mark of another
 * reader, or none.
 */
void pb_mark_handler_frame(const struct patchbay_regs *frame,
			   const struct pb_reader *reader);
