/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of functions that have tracers with an exit handler: the part that the
 * trampolines (arch/.../exit.S) leave to C. <patchbay/exit.h> documents the guarantees
 * for such tracers.
 *
 * While the body runs, its thread is outside (quiesce.h). So no thread waits for the
 * body, and tracers may be armed and disarmed. Each batch has a higher number than all
 * before it, and a tracer has the number of the batch that armed it. At its entry a call
 * stores the highest number of the function's tracers, and a bit for each tracer that
 * was not disabled. At its exit it calls the exit handler of each tracer that is armed
 * and enabled by then, has its bit in the call, and has no higher number.
 *
 *	event while the body runs		exit handler	because
 *						called?
 *	------------------------------------	------------	-------
 *	nothing					yes
 *	the tracer is armed (or armed again)	no		its number is higher
 *	the tracer is disarmed			no		it is not in the cell
 *	the tracer is disabled			no		it is not enabled
 *	the tracer is disabled, and enabled	yes		number and bit are
 *	again							unchanged
 *	the tracer was disabled at the entry,	no		no bit
 *	and is enabled
 *	the tracer is updated			yes, the new	number and bit are
 *						handler		unchanged
 *	other tracers are armed, disarmed, ...	yes		these have their own
 *								numbers and bits
 *	the module is unloaded			no		the cell enters
 *								nothing
 *	the thread has entered a handler	no, it counts	pb_call_exit_slowly()
 *	(a fiber that it resumed there)		as missed
 *	an exception passes			yes, with a	pb_call_unwound()
 *						reason
 *
 * Fields and variables named `since` hold the number and the state of a call.
 * call_state.h has their layout and the rules to compare them.
 *
 * A trampoline that finds the thread inside calls pb_enter_slowly() at the entry, if that
 * matters there, or pb_call_exit_slowly() at the exit.
 */
#ifndef PB_CORE_CALL_H
#define PB_CORE_CALL_H

#include "types/call_state.h"
#include "types/gate.h"

#include <patchbay/exit.h>

#include <stddef.h>

/*
 * cell->enter of a cell that has an exit:
 *
 * pb_arch_call_fast     one tracer, FAST, on a function that is simple
 *                       (pb_call_is_simple())
 * pb_arch_call_any      one tracer, one function, of any kind
 * pb_arch_call_set      the cell's set, all FAST, on a simple function
 * pb_arch_call_any_set  any set
 */
pb_handler pb_arch_call_fast, pb_arch_call_any, pb_arch_call_set, pb_arch_call_any_set;

/* Is @enter one of these: the handlers of sets, or those of a single tracer? */
static inline int pb_call_is_of_set(patchbay_handler enter)
{
	return enter == pb_arch_call_set || enter == pb_arch_call_any_set;
}

static inline int pb_call_is_of_one(patchbay_handler enter)
{
	return enter == pb_arch_call_fast || enter == pb_arch_call_any;
}

/* The bit of call->told for @member, if it has an exit handler. */
static inline uint64_t pb_call_bit(const struct patchbay_cell *member)
{
	return pb_call_bit_of(member->since);
}

/* The cell in the function's slot now: its own cell, or a gate to it (shared_cells.h). */
static inline const struct patchbay_cell *
pb_call_slot(const struct patchbay_call *call)
{
	const uintptr_t slot = call->ip + (uintptr_t)PATCHBAY_SLOT_OFFSET;

	return __atomic_load_n((const struct patchbay_cell **)slot,
			       __ATOMIC_RELAXED);
}

/* The function's cell now. It may differ from the cell at the entry. */
static inline const struct patchbay_cell *
pb_call_cell(const struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_slot(call);

	return pb_is_gate(cell) ? pb_gate_find(cell, call->ip) : cell;
}

/* Can the library call the function? Returns 0 or -EOPNOTSUPP. */
int pb_call_check(const struct patchbay_record *record);

/*
 * How many words of a call the direct way of sets has room for; 0: the architecture has
 * no direct way of sets.
 */
extern const unsigned int pb_arch_direct_words;

/* Has the function no stack arguments, and its result, if any, in integer registers? */
int pb_call_is_simple(const struct patchbay_record *record);

/*
 * The trampolines call these, in this order. pb_call_entry() and pb_call_exit() run
 * inside (quiesce.h) and are compiled for general registers only.
 *
 * pb_call_entry()   fills in @since and @told, calls the entry handlers of @cell, and
 *                   returns the number of the function's argument words on the stack.
 *                   @cell is the cell that the trampoline has loaded
 * pb_call_exit()    calls the exit handlers
 * pb_call_exit_slowly() calls the exit handlers, whether the thread is inside or not
 * pb_call_unwound() the same, for the personality's landing pad
 * pb_call_jumped()  the same, before a longjmp() that skips the call's frame. The caller
 *                   may be on another stack than the call
 */
uint64_t pb_call_entry(struct patchbay_call *call,
		       const struct patchbay_cell *cell);
void pb_call_exit(struct patchbay_call *call);
void pb_call_exit_slowly(struct patchbay_call *call);
void pb_call_unwound(struct patchbay_call *call);
void pb_call_jumped(struct patchbay_call *call);

/* The landing pad calls this to resume unwinding with @exception. Does not return. */
struct _Unwind_Exception;
void pb_call_resume(struct _Unwind_Exception *exception);

#endif /* PB_CORE_CALL_H */
