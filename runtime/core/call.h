/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of functions whose tracers want to know of the exit: what the
 * trampolines (arch/.../exit.S) leave to C. <patchbay/exit.h> says what such
 * tracers may rely on.
 *
 * While the body runs its thread is outside (quiesce.h), so that nobody has to
 * wait for it, and tracers may come and go. What they leave behind is a number:
 * all that one batch arms have the same, and each batch has a higher one. A call
 * remembers the highest of those that were there at its entry, and a bit for each
 * tracer that was not disabled then; at its exit it tells those which are there by
 * then, are not disabled, have their bit and no higher number.
 *
 *	what happens to a tracer while the	is it told	because
 *	body runs				of the exit?
 *	------------------------------------	------------	-------
 *	nothing					yes
 *	it is armed (or armed again)		no		its number is higher
 *	it is disarmed				no		it is not there
 *	it is disabled				no		the same
 *	it is disabled, and enabled again	yes		number and bit are
 *								as they were
 *	it was disabled at the entry, and is	no		no bit
 *	enabled
 *	it is updated				yes, the new	number and bit are
 *						handler		as they were
 *	others are armed, disarmed, ...		yes		these have numbers and
 *								bits of their own
 *	the module leaves			no		the cell enters
 *								nothing
 *	the thread has come into a handler	no, it counts	pb_call_exit_slowly()
 *	(a fiber that it resumed there)		as missed
 *	an exception passes			yes, with a	pb_call_unwound()
 *						reason
 *
 * The number and the way that a call takes are in what is called `since` everywhere;
 * call_state.h has the table of these, and the rules by which they are compared.
 *
 * Who finds the thread inside at the entry, where that matters, or at the exit,
 * takes the general way (pb_enter_slowly(), pb_call_exit_slowly()).
 */
#ifndef PB_CORE_CALL_H
#define PB_CORE_CALL_H

#include "call_state.h"
#include "gate.h"

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
void pb_arch_call_fast(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);
void pb_arch_call_any(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_arch_call_set(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_arch_call_any_set(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs);

/* Is @enter one of these, of a set or of one tracer? */
static inline int pb_call_is_of_set(patchbay_handler enter)
{
	return enter == pb_arch_call_set || enter == pb_arch_call_any_set;
}

static inline int pb_call_is_of_one(patchbay_handler enter)
{
	return enter == pb_arch_call_fast || enter == pb_arch_call_any;
}

/* Which bit of call->told is of @member, if it has an exit. */
static inline uint64_t pb_call_bit(const struct patchbay_cell *member)
{
	return pb_call_bit_of(member->since);
}

/* Where the function's slot leads now; a gate before its cell, perhaps (shared.h). */
static inline const struct patchbay_cell *
pb_call_slot(const struct patchbay_call *call)
{
	const uintptr_t slot = call->ip + (uintptr_t)PATCHBAY_SLOT_OFFSET;

	return __atomic_load_n((const struct patchbay_cell **)slot,
			       __ATOMIC_RELAXED);
}

/* The function's cell now. It may be another than at the entry. */
static inline const struct patchbay_cell *
pb_call_cell(const struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_slot(call);

	return pb_is_gate(cell) ? pb_gate_find(cell, call->ip) : cell;
}

/* Can the function be called? 0, or -EOPNOTSUPP. */
int pb_call_check(const struct patchbay_record *record);

/*
 * How many words of a call the direct way of sets has room for; 0: the architecture
 * has no such way.
 */
extern const unsigned int pb_arch_direct_words;

/* No arguments on the stack; the result in integer registers or nowhere. */
int pb_call_is_simple(const struct patchbay_record *record);

/*
 * In this order, from the trampolines. The first and pb_call_exit() are called
 * inside (quiesce.h) and are compiled for general registers only.
 *
 * pb_call_entry()   fill in @since and @told, call entry handlers of @cell, which
 *                   the trampoline has found; returns how many words of arguments
 *                   on the stack the function has
 * pb_call_exit()    exit handlers
 * pb_call_exit_slowly() exit handlers, on a thread in whatever state
 * pb_call_unwound() the same, for the personality's landing pad
 * pb_call_jumped() the same, for who knows that longjmp() will leave the call; it
 *                  may be on another stack than the call is
 */
uint64_t pb_call_entry(struct patchbay_call *call,
		       const struct patchbay_cell *cell);
void pb_call_exit(struct patchbay_call *call);
void pb_call_exit_slowly(struct patchbay_call *call);
void pb_call_unwound(struct patchbay_call *call);
void pb_call_jumped(struct patchbay_call *call);

/* For the landing pad: the unwinder goes on with what passes. Does not return. */
struct _Unwind_Exception;
void pb_call_resume(struct _Unwind_Exception *exception);

#endif /* PB_CORE_CALL_H */
