/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The states of a call with exit handlers, and the rules that select the exit handlers to
 * call (call.h has the resulting table). State and batch number share one value, named
 * `since` everywhere:
 *
 *	63                                          16 15        8 7          0
 *	+---------------------------------------------+-----------+-----------+
 *	| number of the batch that armed the tracer   | -word     | state     |
 *	+---------------------------------------------+-----------+-----------+
 *
 *	since of		the number is			the lower 16 bits are
 *	--------		-------------			---------------------
 *	a member of a set	of the batch that armed		the tracer's word
 *				the tracer
 *	a set			the highest of its members	the state of calls
 *								with this set
 *	a cell of one tracer	of the batch that armed it	the state of calls
 *								(its word is 0)
 *	a cell with a set	the set's number, if the	the state of calls
 *				set has a direct way;
 *				otherwise it is ignored
 *	a call			of the cell or the set		its state, and
 *				at the call's entry		PATCHBAY_EXIT_*
 *
 * Batches have increasing numbers. So a tracer that is armed while the body of a call runs
 * has a higher number than the call. Disarming a tracer needs no bookkeeping: at the exit,
 * the tracer is not in the cell.
 *
 * All states except GENERAL are direct ways, which only x86-64 has (arch/x86_64/direct.h):
 * the trampoline itself calls the body and the handlers. All handlers are FAST, and the
 * function is simple. At the exit the trampoline compares the call's since with the current
 * since of the cell and of the cell's set:
 *
 *	the cell's since is	the set's since is	then
 *	------------------	------------------	----
 *	the call's		the call's, or the	the trampoline calls the exit
 *				state has no set	handlers of all current tracers.
 *							Arming a tracer, or rearming it,
 *							would have raised the number;
 *							disabling one would have changed
 *							the state
 *	the call's		another			pb_call_exit() checks each tracer
 *	another			-			with pb_call_was_told(); all bits
 *							are set: all saw the entry
 *
 * test/unit/exit-states.cpp runs all interleavings of a call with arming, disarming, a
 * second tracer and an unloaded module by these rules. It fails if any rule is removed.
 */
#pragma once

#include <patchbay/exit.h>

/*
 * The states, their bits, and what the trampoline does: at the entry; at the exit.
 *
 * GENERAL   calls pb_call_entry(); calls pb_call_exit(), if there is an exit handler
 * EXIT      calls no handler, so the thread may be inside; calls cell->exit
 * BOTH      calls cell->func; calls cell->exit
 * ANSWER    calls cell->func; has no exit: the site continues with the body, unless the
 *           handler skips it
 * TIMED     as EXIT, and reads the clock; reads the clock and, if the call reached the
 *           threshold, marks the thread and calls the tracer's exit handler
 * SET       as EXIT; calls all of set->exits
 * SET_BOTH  calls all of set->entries; calls all of set->exits
 */
enum pb_call_state {
	PB_CALL_GENERAL = 0,
	PB_CALL_EXIT = PATCHBAY_CELL_DIRECT_EXIT,
	PB_CALL_BOTH = PATCHBAY_CELL_DIRECT_BOTH,
	PB_CALL_ANSWER = PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_BOTH,
	PB_CALL_TIMED = PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_TIMED,
	PB_CALL_SET = PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_SET,
	PB_CALL_SET_BOTH = PATCHBAY_CELL_DIRECT_SET,
};

#define PB_CALL_STATE_BITS                                                     \
	((uint64_t)(PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_BOTH |    \
		    PATCHBAY_CELL_DIRECT_TIMED | PATCHBAY_CELL_DIRECT_SET))

static inline uint64_t pb_call_number(uint64_t since)
{
	return since & PATCHBAY_CELL_SINCE;
}

static inline enum pb_call_state pb_call_state_of(uint64_t since)
{
	return (enum pb_call_state)(since & PB_CALL_STATE_BITS);
}

static inline uint64_t pb_call_next_number(uint64_t number)
{
	return number + ~PATCHBAY_CELL_SINCE + 1;
}

/*
 * The word of a tracer. The byte in the tracer's since is negative, so that handlers find the
 * word by one load with sign extension.
 */
static inline unsigned int pb_call_word(uint64_t since)
{
	return (unsigned int)-(int8_t)(since >> 8);
}

/* Returns the since of a tracer that the batch @number arms, with @word. */
static inline uint64_t pb_call_since(uint64_t number, unsigned int word)
{
	return number | (uint64_t)(uint8_t)-word << 8;
}

/* The bit of call->told for a tracer with this @since, if it has an exit handler. */
static inline uint64_t pb_call_bit_of(uint64_t since)
{
	return UINT64_C(1) << pb_call_word(since);
}

/* Must the exit of @call be reported to the tracer whose since is @member? */
static inline int pb_call_was_told(const struct patchbay_call *call, uint64_t member)
{
	return call->told & pb_call_bit_of(member) &&
	       pb_call_number(member) <= call->since;
}

/*
 * Must the exit of a call be reported to all members of a set? @since and @told belong to
 * the call, @set and @set_told are since and told of the set.
 */
static inline int pb_call_were_all_told(uint64_t since, uint64_t told, uint64_t set,
					uint64_t set_told)
{
	return told == set_told && pb_call_number(set) <= since;
}

/* Returns the since @cell of a cell with its state replaced by @state. */
static inline uint64_t pb_call_since_by(uint64_t cell, enum pb_call_state state)
{
	return (cell & (PATCHBAY_CELL_SINCE | PATCHBAY_CELL_WORD)) | state;
}

/*
 * Returns the new since of a cell with since @cell that gets a set with since @set. Only
 * direct ways compare the since of a cell with that of its set.
 */
static inline uint64_t pb_call_since_with(uint64_t cell, uint64_t set)
{
	return set & PATCHBAY_CELL_DIRECT_SET ? set :
						pb_call_since_by(cell, PB_CALL_GENERAL);
}
