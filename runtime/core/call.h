/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of functions whose tracers want to know of the exit: what the
 * trampolines (arch/.../exit.S) leave to C. <patchbay/exit.h> says what such
 * tracers may rely on.
 *
 * While the body runs its thread is outside (quiesce.h), so that nobody has to
 * wait for it, and tracers may come and go. What they leave behind is a number:
 * each time that a tracer is armed it takes the next one, cell->since. A call
 * remembers the highest of those that were there at its entry; at its exit it
 * tells those which are there then and are not higher. So a tracer that was
 * disarmed is not told, and one that was armed, or armed again, neither.
 */
#ifndef PB_CORE_CALL_H
#define PB_CORE_CALL_H

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
	return 1ull << (member->since & PATCHBAY_CELL_WORD);
}

/* The function's slot leads to the same cell as long as it has been armed. */
static inline const struct patchbay_cell *
pb_call_cell(const struct patchbay_call *call)
{
	return *(const struct patchbay_cell **)(call->ip +
						(uintptr_t)PATCHBAY_SLOT_OFFSET);
}

/* Can the function be called? 0, or -EOPNOTSUPP. */
int pb_call_check(const struct patchbay_record *record);

/* No arguments on the stack; the result in integer registers or nowhere. */
int pb_call_is_simple(const struct patchbay_record *record);

/*
 * In this order, from the trampolines. The first and pb_call_exit() are called
 * inside (quiesce.h) and are compiled for general registers only.
 *
 * pb_call_entry()   fill in @since and @told, call entry handlers; returns how
 *                   many words of arguments on the stack the function has
 * pb_call_exit()    exit handlers
 * pb_call_exit_slowly() exit handlers, on a thread in whatever state
 * pb_call_unwound() the same, for the personality's landing pad
 * pb_call_jumped() the same, for who knows that longjmp() will leave the call; it
 *                  may be on another stack than the call is
 */
uint64_t pb_call_entry(struct patchbay_call *call);
void pb_call_exit(struct patchbay_call *call);
void pb_call_exit_slowly(struct patchbay_call *call);
void pb_call_unwound(struct patchbay_call *call);
void pb_call_jumped(struct patchbay_call *call);

#endif /* PB_CORE_CALL_H */
