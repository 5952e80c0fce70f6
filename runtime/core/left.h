/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handlers that will never return, because a signal handler that interrupted
 * them left them by siglongjmp(), as programs do that end a computation after
 * some time. Their thread is marked as inside, and nobody takes the mark away.
 *
 * A handler runs below the frame that its trampoline made on the stack. That
 * frame cannot have gone while the handler may go on, on whatever stack it is:
 * the handler's own, one of sigaltstack(2), a coroutine's that is not running at
 * the moment. So there is one proof that a handler was left: *the memory of the
 * frame is used for something else*. And one that it will be: who is about to jump
 * says so, and unwinders find the frame on the way (jump.c). No other is accepted.
 * Addresses alone prove nothing. A thread that is above the frame now may be in a
 * signal handler on another stack, or in another coroutine, and come back.
 *
 * What is used for something else is found out late, or never if the thread
 * never again needs so much stack. Until then its calls are missed, and counted.
 * A handler that is taken for gone while it runs would be a use of freed memory.
 */
#ifndef PB_CORE_LEFT_H
#define PB_CORE_LEFT_H

#include "reader.h"

#include <patchbay/patchbay.h>

/*
 * A word of a trampoline's frame that stays the same until the trampoline has
 * marked its thread as outside (arch/.../offsets.c).
 * @at:    from struct patchbay_regs, in bytes
 * @value: what it is there; 0: the lower half of where the thread's reader is
 */
struct pb_frame_mark {
	int at;
	uint32_t value;
};

extern const struct pb_frame_mark pb_frame_mark;

/*
 * Has the handler gone that the thread of @reader was in when it had @frame, which is
 * not 0? The kernel looks at the memory, which need not be there any more. The thread
 * may be another one. Async-signal-safe, errno stays.
 */
int pb_left_is_gone(const struct pb_reader *reader, uintptr_t frame);

/*
 * The same for the calling thread, whose stack from @from to @to is in use by who
 * asks: without the kernel, and not sure to find it.
 */
int pb_left_is_reused(const struct pb_reader *self, uintptr_t frame,
		      uintptr_t from, uintptr_t to);

/*
 * The same where there is time and stack to make sure: a handler that was left
 * not far below @to is found, which is where the stack of the library begins.
 */
int pb_left_is_surely_gone(const struct pb_reader *self, uintptr_t frame,
			   uintptr_t to);

/*
 * Give @frame the mark of @reader: the trampoline may have found another one, or none.
 */
void pb_left_mark_frame(const struct patchbay_regs *frame,
			const struct pb_reader *reader);

#endif /* PB_CORE_LEFT_H */
