/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports the exits of calls that longjmp(3) skips. The frames of these calls run no code after
 * the jump. Before the jump the frames still exist, and the library finds each struct
 * patchbay_call by the unwind tables.
 *
 * Unwinders give each frame the stack pointer that it had when it called the next inner
 * frame. setjmp(3) has stored the stack pointer of its caller. So the frame that contains
 * this address is the target, and the jump skips all frames within it. If no frame contains
 * the address, the jump is to another stack, and calls on this stack may continue.
 *
 * The same walk finds handlers of tracers that a signal handler abandons by longjmp(3): each
 * returns to a trampoline, whose frame is among the skipped frames. This is the second proof in
 * handler_frame.h, and needs no wait until the stack is reused.
 */
#include "call/unwinder.h"
#include "quiesce/quiesce.h"
#include "types/call.h"

#include "entry.h" /* of the architecture */

/*
 * @sp:       the target of the jump
 * @previous: the stack pointer of the previous frame
 * @base:     the value of CALL_REGISTER in the previous frame
 * @nr:       the number of frames visited
 * @left:     the number of frames that the jump skips
 * @handlers: the frames of trampolines whose handlers the thread is in
 * @nr_handlers: the number of @handlers
 * @passed:   a bit for each of @handlers that the walk has passed
 */
struct walk {
	uintptr_t sp, previous, base;
	size_t nr, left;
	uintptr_t handlers[PB_FRAMES_MAX];
	size_t nr_handlers;
	unsigned int passed;
};

/*
 * The jump skips the previous frame, which ends at @sp. If @handlers has this frame, set its
 * bit. In a trampoline that calls a handler, patchbay_regs are HANDLER_FRAME above the stack
 * pointer. In a trampoline that has called a body, CALL_REGISTER points to patchbay_regs. Both
 * addresses must match exactly: a range around the handler's frame would prove nothing, because
 * a coroutine's stack may be in that range.
 */
static void note_passed(struct walk *walk, uintptr_t sp)
{
	for (size_t i = 0; i < walk->nr_handlers; i++) {
		uintptr_t frame = walk->handlers[i];

		if (walk->previous <= frame && frame < sp &&
		    (walk->previous + HANDLER_FRAME == frame ||
		     walk->base + CALL_REGS == frame))
			walk->passed |= 1u << i;
	}
}

static _Unwind_Reason_Code find_left_frames(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	uintptr_t sp = pb_unwinder.get_cfa(context);

	if (walk->nr && walk->previous <= walk->sp && walk->sp < sp) {
		walk->left = walk->nr - 1;
		return _URC_NORMAL_STOP;
	}
	if (walk->nr)
		note_passed(walk, sp);
	walk->previous = sp;
	walk->base = pb_unwinder.get_gr(context, CALL_REGISTER);
	walk->nr++;
	return _URC_NO_REASON;
}

static _Unwind_Reason_Code call_exit(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	struct patchbay_call *call;

	if (!walk->left)
		return _URC_NORMAL_STOP;
	walk->left--;
	call = pb_unwinder_call_of(context);
	if (call)
		pb_call_jumped(call);
	return _URC_NO_REASON;
}

/* Both walks of the stack begin with the frame of this function. */
void patchbay_jump(uintptr_t sp)
{
	struct walk walk = { .sp = sp };

	if (!pb_unwinder.backtrace)
		return;
	walk.nr_handlers = pb_thread_frames(walk.handlers);
	if (!walk.nr_handlers && !__atomic_load_n(&pb_has_exits, __ATOMIC_RELAXED))
		return;
	pb_unwinder.backtrace(find_left_frames, &walk);
	if (!walk.left)
		return;
	/* Forget skipped handlers first: in a handler, the exits would count as missed. */
	for (size_t i = walk.nr_handlers; i-- > 0;)
		if (walk.passed >> i & 1)
			pb_thread_forget(walk.handlers[i]);
	pb_unwinder.backtrace(call_exit, &walk);
}
