/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The exits that trampolines have time for, and what arming asks about them. */
#include "call.h"
#include "left.h"
#include "lsda.h"
#include "missed.h"
#include "quiesce.h"
#include "set.h"
#include "tracer.h"

#include <errno.h>

int pb_call_check(const struct patchbay_record *record)
{
	/* Nobody knows what of the stack to copy; or there is no exit. */
	const uint8_t never = PATCHBAY_RECORD_VARIADIC |
			      PATCHBAY_RECORD_UNKNOWN_ARGS |
			      PATCHBAY_RECORD_NORETURN;

	return record->flags & never ? -EOPNOTSUPP : 0;
}

int pb_call_is_simple(const struct patchbay_record *record)
{
	uint8_t result = record->flags & PATCHBAY_RECORD_RETURN_MASK;

	return !record->stack_arg_words &&
	       (result == PATCHBAY_RECORD_RETURN_VOID ||
		result == PATCHBAY_RECORD_RETURN_GP);
}

/* All exits of the set that calls entered which had this @since. */
static void miss_set(const struct patchbay_cell *cell, uint64_t since)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (since & PATCHBAY_CELL_DIRECT_ENTRIES || set->since != since)
		return;
	for (const struct patchbay_cell *const *at = set->exits; *at; at++)
		if ((*at)->ops)
			pb_miss(*at);
}

/*
 * The exit of a call from within a handler. Of tracers without an entry handler
 * nobody has looked before: their direct way begins without asking.
 */
static void miss(const struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_cell(call);
	uint64_t since = __atomic_load_n(&cell->since, __ATOMIC_ACQUIRE);
	uint64_t entered = call->since & ~(uint64_t)(PATCHBAY_EXIT_UNWIND |
						     PATCHBAY_EXIT_JUMP);

	if (!(since & PATCHBAY_CELL_DIRECT_EXIT) || since != entered)
		return;
	if (since & PATCHBAY_CELL_DIRECT_SET)
		miss_set(cell, since);
	else
		pb_miss(cell);
}

/* @end: of the stack that we are on, or of what is known of it. */
static void exit_slowly(struct patchbay_call *call, const void *end)
{
	enum pb_nesting nesting;
	const struct patchbay_regs *frame = (const void *)(call + 1);
	uint64_t token = pb_thread_enter(frame, end, &nesting);

	if (nesting == PB_NESTING_FREE)
		pb_call_exit(call);
	else
		miss(call);
	pb_thread_leave(token);
}

void pb_call_exit_slowly(struct patchbay_call *call)
{
	const struct patchbay_regs *frame = (const void *)(call + 1);

	exit_slowly(call, frame + 1);
}

/* The thread that had this frame may have been another one. */
static void prepare_unwinding(struct patchbay_call *call, uint64_t how)
{
	call->since |= how;
	pb_left_mark_frame((struct patchbay_regs *)(call + 1));
}

void pb_call_unwound(struct patchbay_call *call)
{
	prepare_unwinding(call, PATCHBAY_EXIT_UNWIND);
	pb_call_exit_slowly(call);
}

/*
 * Between here and the call there may be others' stacks, with handlers that go on:
 * a signal handler may have a stack of its own.
 */
__attribute__((noinline)) void pb_call_jumped(struct patchbay_call *call)
{
	prepare_unwinding(call, PATCHBAY_EXIT_UNWIND | PATCHBAY_EXIT_JUMP);
	exit_slowly(call, __builtin_frame_address(0));
}

/*
 * What unwinders ask about the frame between the body and its caller. It wants
 * to know of every exception that passes, and catches none. (Itanium C++ ABI:
 * Exception Handling, 1.6.)
 *
 * Its data (lsda.h) begin with two offsets, each from itself: where the body returns
 * to, and the landing pad.
 */
_Unwind_Reason_Code pb_call_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context)
{
	const int32_t *data = _Unwind_GetLanguageSpecificData(context);

	(void)version;
	(void)class;
	/* Not when the landing pad itself resumes the exception. */
	if (!(actions & _UA_CLEANUP_PHASE) ||
	    _Unwind_GetIP(context) != (uintptr_t)&data[0] + (intptr_t)data[0])
		return _URC_CONTINUE_UNWIND;
	_Unwind_SetGR(context, __builtin_eh_return_data_regno(0),
		      (uintptr_t)exception);
	_Unwind_SetIP(context, (uintptr_t)&data[1] + (intptr_t)data[1]);
	return _URC_INSTALL_CONTEXT;
}
