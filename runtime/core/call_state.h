/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The states of a call that somebody wants to know the exit of, and the rules by which
 * it is decided at the exit who is told (call.h says what comes of them). All of it is
 * in one number, which is called `since` wherever it is:
 *
 *	63                                          16 15                     0
 *	+---------------------------------------------+-----------------------+
 *	| number of the batch that armed the tracer   | state, or word        |
 *	+---------------------------------------------+-----------------------+
 *
 *	of			the number is			the lower 16 bits are
 *	--			-------------			---------------------
 *	a set's members		of the batch that armed		the tracer's word
 *				the tracer
 *	a set			the highest of its members	the state of calls
 *								with this set
 *	a cell of one tracer	of the batch that armed it	the state of calls
 *								(its word is 0)
 *	a cell with a set	the same as the set's, if	the state of calls
 *				that has a direct way; else
 *				it does not matter
 *	a call			what the cell or the set had	its state, and
 *				at its entry			PATCHBAY_EXIT_*
 *
 * A batch has a higher number than all before it. So whoever comes while the body of
 * a call runs has a higher one than the call, and nobody has to be told who left.
 *
 * The states are what PB_CALL_STATES lists. All but the first are direct ways, which
 * x86-64 has (arch/x86_64/direct.h): the trampoline itself calls body and handlers,
 * which are all FAST, of a function that is simple. At the exit such a call is compared
 * with the cell as it is by then, and with the cell's set:
 *
 *	the cell's since is	the set's since is	then
 *	------------------	------------------	----
 *	the call's		the call's, or the	all are told who are there: had
 *				state has no set	anybody come, or gone and come
 *							again, the number would be higher;
 *							had anybody been disabled, the
 *							state would be another
 *	the call's		another			pb_call_exit() asks each, by
 *	another			-			pb_call_was_told(); all bits are
 *							set, for the same reason
 *
 * test/unit/exit-states.cpp walks through all interleavings of a call with arming,
 * disarming, a second tracer and a module that leaves, by these rules, and finds each
 * of them missing.
 */
#ifndef PB_CORE_CALL_STATE_H
#define PB_CORE_CALL_STATE_H

#include <patchbay/exit.h>

/*
 * A state, its bits, and who calls what at the entry and at the exit:
 *
 * GENERAL   pb_call_entry() and pb_call_exit(), or nobody if there is no exit
 * EXIT      nobody, so the thread need not be outside; cell->exit
 * BOTH      cell->func; cell->exit
 * ANSWER    cell->func; nobody: the site goes on with the body, unless it is skipped
 * TIMED     reads the clock, as EXIT; reads the clock, and the tracer's exit or nobody
 * SET       as EXIT; all of set->exits
 * SET_BOTH  all of set->entries; all of set->exits
 */
#define PB_CALL_STATES(X)                                                      \
	X(GENERAL, 0)                                                          \
	X(EXIT, PATCHBAY_CELL_DIRECT_EXIT)                                     \
	X(BOTH, PATCHBAY_CELL_DIRECT_BOTH)                                     \
	X(ANSWER, PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_BOTH)       \
	X(TIMED, PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_TIMED)       \
	X(SET, PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_SET)           \
	X(SET_BOTH, PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_SET |     \
			    PATCHBAY_CELL_DIRECT_ENTRIES)

#define PB_CALL_STATE(name, bits) PB_CALL_##name = (bits),
enum pb_call_state { PB_CALL_STATES(PB_CALL_STATE) };
#undef PB_CALL_STATE

/* The bits that states are made of: no word of a tracer has any of them. */
#define PB_CALL_STATE_BITS                                                     \
	((uint64_t)(PATCHBAY_CELL_DIRECT_EXIT | PATCHBAY_CELL_DIRECT_BOTH |    \
		    PATCHBAY_CELL_DIRECT_TIMED | PATCHBAY_CELL_DIRECT_SET |    \
		    PATCHBAY_CELL_DIRECT_ENTRIES))

static inline uint64_t pb_call_number(uint64_t since)
{
	return since & PATCHBAY_CELL_SINCE;
}

static inline enum pb_call_state pb_call_state_of(uint64_t since)
{
	return (enum pb_call_state)(since & PB_CALL_STATE_BITS);
}

/* The number of the next batch. */
static inline uint64_t pb_call_next_number(uint64_t number)
{
	return number + ~PATCHBAY_CELL_SINCE + 1;
}

/* Which bit of call->told is of a tracer with this @since, if it has an exit. */
static inline uint64_t pb_call_bit_of(uint64_t since)
{
	return UINT64_C(1) << (since & PATCHBAY_CELL_WORD);
}

/* Is whoever has @member told of the exit of @call? */
static inline int pb_call_was_told(const struct patchbay_call *call, uint64_t member)
{
	return call->told & pb_call_bit_of(member) &&
	       pb_call_number(member) <= call->since;
}

/* Are all of a set told, of which @set and @set_told are the since and the words? */
static inline int pb_call_were_all_told(uint64_t since, uint64_t told, uint64_t set,
					uint64_t set_told)
{
	return told == set_told && pb_call_number(set) <= since;
}

/* What a cell's since becomes when it is @state that its calls take from now on. */
static inline uint64_t pb_call_since_by(uint64_t cell, enum pb_call_state state)
{
	return (cell & (PATCHBAY_CELL_SINCE | PATCHBAY_CELL_WORD)) | state;
}

/* And when it is given a set with this @set. Only direct ways compare the two. */
static inline uint64_t pb_call_since_with(uint64_t cell, uint64_t set)
{
	return set & PATCHBAY_CELL_DIRECT_SET ? set :
						pb_call_since_by(cell, PB_CALL_GENERAL);
}

#endif /* PB_CORE_CALL_STATE_H */
