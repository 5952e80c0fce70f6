/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of functions that have tracers with an exit handler. This header has the C functions;
 * arch/.../exit.S calls the body. <patchbay/exit.h> documents the guarantees for these tracers.
 *
 * While the body runs, its thread is outside (quiesce.h). So no thread waits for the
 * body, and tracers may be armed and disarmed. Batches have increasing numbers. A tracer
 * has the number of the batch that armed it. At its entry a call stores the highest number
 * of the function's tracers, and a bit for each tracer that is enabled. At its exit the
 * call calls the exit handler of each tracer that is still armed and enabled, has its bit
 * in the call, and has no higher number than the call.
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
 *	the module is unloaded			no		the cell calls no
 *								handler
 *	the body's fiber is resumed, and	no, it counts	pb_call_exit_slowly()
 *	returns, inside a handler		as missed
 *	an exception passes			yes, with a	pb_call_unwound()
 *						reason
 *
 * Fields and variables named `since` hold the number and the state of a call.
 * call_state.h has their layout and the rules to compare them.
 *
 * If a thread is already inside, the trampoline calls pb_enter_slowly() at the entry, and
 * pb_call_exit_slowly() at the exit. A direct way without an entry handler checks this at
 * the exit only.
 */
#pragma once

#include "types/call_state.h"
#include "types/set.h"

#include <patchbay/exit.h>

#include <stddef.h>

/*
 * cell->enter of a cell that has an exit:
 *
 * pb_arch_call_fast     one tracer, FAST, on a function that is simple for it
 *                       (pb_call_is_simple())
 * pb_arch_call_any      one tracer, with any flags, on any function
 * pb_arch_call_set      a set of FAST tracers, on a function that is simple for these
 * pb_arch_call_any_set  any set
 */
pb_handler pb_arch_call_fast, pb_arch_call_any, pb_arch_call_set, pb_arch_call_any_set;

/* Is @enter the handler of a cell with a set? */
static inline int pb_call_is_of_set(patchbay_handler enter)
{
	return enter == pb_arch_call_set || enter == pb_arch_call_any_set;
}

/* Is @enter the handler of a cell with one tracer that has an exit? */
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

/* The function's present cell, which may differ from the cell at the entry. */
static inline const struct patchbay_cell *
pb_call_cell(const struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_slot(call);

	return pb_is_gate(cell) ? pb_gate_find(cell, call->ip) : cell;
}

/* Can the library call the function? Returns 0 or -EOPNOTSUPP. */
int pb_call_check(const struct patchbay_record *record);

/*
 * The direct way (arch/x86_64/direct.h) serves a set only if its members with an exit need
 * at most this many words in struct patchbay_call. 0: the architecture has no direct way.
 */
extern const unsigned int pb_arch_direct_words;

/*
 * Is the function simple for tracers that all have @flags? A simple function has no stack
 * arguments. Its result is in integer registers, unless @flags has
 * PATCHBAY_OPS_NO_RESULT_FP. FAST handlers and pb_call_exit() do not change other result
 * registers. The slow paths save them.
 */
int pb_call_is_simple(const struct patchbay_record *record, unsigned int flags);

/*
 * The trampolines call these, in this order. pb_call_entry() and pb_call_exit() run
 * inside (quiesce.h) and are compiled for general registers only.
 *
 * pb_call_entry()   fills in @since and @told, calls the entry handlers of @cell, and
 *                   returns the number of the function's argument words on the stack.
 *                   @cell is the cell that the trampoline has loaded
 * pb_call_exit()    calls the exit handlers
 * pb_call_exit_slowly() like pb_call_exit(), whether the thread is inside or not
 * pb_call_unwound() like pb_call_exit_slowly(), for the personality's landing pad
 * pb_call_jumped()  like pb_call_exit_slowly(), before a longjmp() that skips the call's
 *                   frame. The caller may be on another stack than the call
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
