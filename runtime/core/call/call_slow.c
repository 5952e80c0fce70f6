/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slow paths of exits, and the checks of exits that arming needs. */
#include "arch/lsda.h"
#include "call/unwinder.h"
#include "quiesce/open_calls.h"
#include "quiesce/quiesce.h"
#include "types/call.h"
#include "types/set.h"

#include <errno.h>

int pb_call_check(const struct patchbay_record *record)
{
	return record->flags & PATCHBAY_RECORD_NO_EXIT ? -EOPNOTSUPP : 0;
}

int pb_call_is_simple(const struct patchbay_record *record, unsigned int flags)
{
	uint8_t result = record->flags & PATCHBAY_RECORD_RETURN_MASK;

	return !record->stack_arg_words &&
	       (flags & PATCHBAY_OPS_NO_RESULT_FP ||
		result == PATCHBAY_RECORD_RETURN_VOID ||
		result == PATCHBAY_RECORD_RETURN_GP);
}

/* Count a missed call for each exit of the cell's set, if the set still has @since. */
static void miss_set(const struct patchbay_cell *cell, uint64_t since)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (set->since != since)
		return;
	for (const struct patchbay_cell *const *at = set->exits; *at; at++)
		if ((*at)->ops)
			pb_miss(*at);
}

/*
 * The thread is in a handler at the exit of this call: count the call as missed. Only calls
 * without an entry handler come here: their direct way does not check the thread at the entry.
 */
static void count_missed_exit(const struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_cell(call);
	uint64_t since = __atomic_load_n(&cell->since, __ATOMIC_ACQUIRE);
	uint64_t entered = pb_call_number(call->since) | pb_call_state_of(call->since);

	if (!(since & PATCHBAY_CELL_DIRECT_EXIT) || since != entered)
		return;
	if (since & PATCHBAY_CELL_DIRECT_SET)
		miss_set(cell, since);
	else
		pb_miss(cell);
	/* A call that counts as missed is not counted as open (open_calls.h). */
	if (since & PATCHBAY_CELL_DIRECT_TIMED)
		pb_thread.open_calls--;
}

/* @end: the current stack is in use from here up to this address. */
static void exit_slowly(struct patchbay_call *call, const void *end)
{
	const struct patchbay_regs *frame = (const void *)(call + 1);
	struct pb_reader *self;
	const enum pb_entry entry = pb_thread_enter(frame, end, &self);

	if (entry == PB_NOT_ENTERED)
		return;
	if (entry == PB_ENTERED)
		pb_call_exit(call);
	else
		count_missed_exit(call);
	pb_thread_leave(self, entry);
}

void pb_call_exit_slowly(struct patchbay_call *call)
{
	const struct patchbay_regs *frame = (const void *)(call + 1);

	exit_slowly(call, frame + 1);
}

void pb_call_unwound(struct patchbay_call *call)
{
	call->since |= PATCHBAY_EXIT_UNWIND;
	pb_call_exit_slowly(call);
}

/*
 * Other stacks may lie between this frame and the call, for example that of a signal handler,
 * with handlers that will continue. So only this frame counts as the stack in use.
 */
__attribute__((noinline)) void pb_call_jumped(struct patchbay_call *call)
{
	call->since |= PATCHBAY_EXIT_UNWIND | PATCHBAY_EXIT_JUMP;
	exit_slowly(call, __builtin_frame_address(0));
}

/* The landing pad in exit.S ends with this call. */
void pb_call_resume(struct _Unwind_Exception *exception)
{
	pb_unwinder.resume(exception);
}

/*
 * Each walk of the stack begins at the throwing function. So one walk collects several calls,
 * which @exception will pass next. The list is valid until the thread throws again: each throw
 * begins with a search (_UA_SEARCH_PHASE), which clears the list.
 */
#define AHEAD_MAX 14
static __thread struct ahead {
	const struct _Unwind_Exception *exception;
	uint32_t nr, next;
	struct patchbay_call *call[AHEAD_MAX];
} ahead __attribute__((tls_model("initial-exec")));

/* Collect calls, innermost first. PATCHBAY_EXIT_UNWIND: the exit has been reported already. */
static _Unwind_Reason_Code add_call(struct _Unwind_Context *context, void *arg)
{
	struct patchbay_call *call = pb_unwinder_call_of(context);
	struct ahead *found = arg;

	if (!call || call->since & PATCHBAY_EXIT_UNWIND)
		return _URC_NO_REASON;
	found->call[found->nr++] = call;
	return found->nr < AHEAD_MAX ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* The next collected call. NULL if none is left, or if a signal handler has thrown since. */
static struct patchbay_call *next_call(const struct _Unwind_Exception *exception)
{
	struct patchbay_call *call;

	if (ahead.exception != exception || ahead.next == ahead.nr)
		return NULL;
	call = ahead.call[ahead.next++];
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return ahead.exception == exception ? call : NULL;
}

/* Report the exit of the innermost call. Forced unwinds have no search phase: always walk. */
static void tell_innermost(const struct _Unwind_Exception *exception, int is_forced)
{
	struct patchbay_call *call = is_forced ? NULL : next_call(exception);
	struct ahead found = { .next = 1 };

	if (!call) {
		pb_unwinder.backtrace(add_call, &found);
		call = found.call[0];
		if (!call)
			return;
		ahead.exception = NULL;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		ahead = found;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (!is_forced)
			ahead.exception = exception;
	}
	call->since |= PATCHBAY_EXIT_UNWIND;
	exit_slowly(call, __builtin_frame_address(0));
}

/*
 * The personality function of the frame between the body and its caller. The unwinder calls
 * this function for every exception that passes through the frame. The function catches none.
 * (Itanium C++ ABI: Exception Handling, 1.6.)
 *
 * The frame's data (lsda.h) begin with two offsets, each relative to itself: the return
 * address of the body, and the landing pad.
 *
 * The library cannot use the @context of another unwinder (unwinder.h), and could not resume
 * its exception from the landing pad. But that unwinder calls this function for each frame,
 * from the innermost on, while all frames are on the stack. So the library finds the call by
 * its own unwinder, and reports the exit here. A process with a shadow stack ends in this case:
 * only the landing pad could drop the library's frames from the shadow stack.
 */
_Unwind_Reason_Code pb_call_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context)
{
	const int32_t *data;

	(void)version;
	(void)class;
	if (actions & _UA_SEARCH_PHASE)
		ahead.exception = NULL;
	if (!(actions & _UA_CLEANUP_PHASE) || !pb_unwinder.backtrace)
		return _URC_CONTINUE_UNWIND;
	if (!pb_unwinder_has((uintptr_t)__builtin_return_address(0))) {
		tell_innermost(exception, actions & _UA_FORCE_UNWIND);
		return _URC_CONTINUE_UNWIND;
	}
	data = pb_unwinder.get_data(context);
	/* If the landing pad itself resumes the exception, continue. */
	if (pb_unwinder.get_ip(context) != (uintptr_t)&data[0] + (uintptr_t)(intptr_t)data[0])
		return _URC_CONTINUE_UNWIND;
	pb_unwinder.set_gr(context, __builtin_eh_return_data_regno(0),
			   (uintptr_t)exception);
	pb_unwinder.set_ip(context, (uintptr_t)&data[1] + (uintptr_t)(intptr_t)data[1]);
	return _URC_INSTALL_CONTEXT;
}
