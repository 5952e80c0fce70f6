/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls that longjmp(3) leaves. Nobody is told when it does so: no code of theirs
 * runs any more. But before it does, their frames are there, and what unwinders
 * know of them leads to struct patchbay_call.
 *
 * A frame, as unwinders show it, has the stack pointer that it had when it called
 * the one within it. setjmp(3) kept that of its caller, so this is whose frame
 * holds it, and all within are left. Where no frame does, the jump is to another
 * stack, and calls on this one may go on.
 *
 * Handlers of tracers that a signal handler leaves so are found on the same way:
 * the trampoline that they would return to has one of these frames. It is the one
 * proof besides that of left.h, and it is there at once.
 */
#include "call.h"
#include "quiesce.h"
#include "unwinder.h"

#include "entry.h" /* of the architecture */

/*
 * @sp:       where the jump goes
 * @previous: the stack pointer of the frame before
 * @base:     what CALL_REGISTER is there
 * @nr:       frames so far
 * @left:     how many the jump leaves
 * @handlers: frames of trampolines whose handlers the thread is in
 * @nr_handlers: how many
 * @passed:   which of them, as bits, have been come by
 */
struct walk {
	uintptr_t sp, previous, base;
	size_t nr, left;
	uintptr_t handlers[PB_FRAMES_MAX];
	size_t nr_handlers;
	unsigned int passed;
};

/*
 * The frame before, which ends at @sp, is left: is it that of a trampoline? One that
 * calls a handler has nothing on the stack below what counts as its frame
 * (HANDLER_FRAME is how far that is from the stack pointer). One that has called a
 * body has more there, and a register that leads to it. That a frame's addresses
 * lie around the handler's would prove nothing: a coroutine's stack may be there.
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

static _Unwind_Reason_Code find(struct _Unwind_Context *context, void *arg)
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

/* Before calls are told of: exit handlers are called again, and not missed. */
static void forget_handlers(const struct walk *walk)
{
	for (size_t i = walk->nr_handlers; i-- > 0;)
		if (walk->passed >> i & 1)
			pb_thread_forget(walk->handlers[i]);
}

static _Unwind_Reason_Code tell(struct _Unwind_Context *context, void *arg)
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

/* Both walks begin with this frame. */
void patchbay_jump(uintptr_t sp)
{
	struct walk walk = { .sp = sp };

	/* Then there is no tracer. */
	if (!pb_unwinder.backtrace)
		return;
	walk.nr_handlers = pb_thread_frames(walk.handlers);
	pb_unwinder.backtrace(find, &walk);
	if (!walk.left)
		return;
	forget_handlers(&walk);
	pb_unwinder.backtrace(tell, &walk);
}
