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
 */
#include "call.h"

#include <string.h>
#include <unwind.h>

#include "entry.h" /* of the architecture */

/*
 * @sp:       where the jump goes
 * @previous: the stack pointer of the frame before
 * @nr:       frames so far
 * @left:     how many the jump leaves
 */
struct walk {
	uintptr_t sp, previous;
	size_t nr, left;
};

static _Unwind_Reason_Code find(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	uintptr_t sp = _Unwind_GetCFA(context);

	if (walk->nr && walk->previous <= walk->sp && walk->sp < sp) {
		walk->left = walk->nr - 1;
		return _URC_NORMAL_STOP;
	}
	walk->previous = sp;
	walk->nr++;
	return _URC_NO_REASON;
}

/* What a frame's data say (lsda.h), if it is one that calls a body. */
static int read_data(struct _Unwind_Context *context, int32_t data[3])
{
	const char *at = _Unwind_GetLanguageSpecificData(context);

	if (!at)
		return 0;
	/* Others' begin otherwise, and anywhere. */
	memcpy(data, at, sizeof(data[0]));
	if ((uintptr_t)at + (intptr_t)data[0] != _Unwind_GetIP(context))
		return 0;
	memcpy(data, at, 3 * sizeof(data[0]));
	return 1;
}

static _Unwind_Reason_Code tell(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	struct patchbay_call *call;
	int32_t data[3];

	if (!walk->left)
		return _URC_NORMAL_STOP;
	walk->left--;
	if (!read_data(context, data))
		return _URC_NO_REASON;
	call = (struct patchbay_call *)(_Unwind_GetGR(context, CALL_REGISTER) +
					CALL);
	if (data[2]) {
		/* As the trampoline does where it has to tell C (direct.h). */
		const struct patchbay_regs *regs = (const void *)(call + 1);

		call->ip = *(const uintptr_t *)(regs + 1) - (uintptr_t)data[2];
		call->told = UINT64_MAX;
	}
	call->since |= PATCHBAY_EXIT_JUMP;
	pb_call_unwound(call);
	return _URC_NO_REASON;
}

/* Both walks begin with this frame. */
void patchbay_jump(uintptr_t sp)
{
	struct walk walk = { .sp = sp };

	_Unwind_Backtrace(find, &walk);
	if (walk.left)
		_Unwind_Backtrace(tell, &walk);
}
