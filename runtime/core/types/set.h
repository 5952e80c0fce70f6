/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several tracers on one function: an immutable array of them, which the function's cell
 * points to. A set never changes. To add, remove, enable, disable or update a tracer, the
 * library gives the cell a new set. It frees the old set when no thread can be walking it.
 *
 * So the handlers of an entry and of an exit are known when a set is made, and a call
 * makes no checks. @entries and @exits list exactly the members to call, in the order of
 * the calls. Disabled members are in neither list, only in @cells, and their exits do not
 * count.
 */
#ifndef PB_CORE_SET_H
#define PB_CORE_SET_H

#include "types/gate.h"

/*
 * @retired: the next of a list of replaced sets
 * @nr:      the number of members, disabled or not; not 0
 * @fast:    all handlers are PATCHBAY_OPS_FAST, and no member has an exit
 * @fast_exits: some members have an exit, all handlers are PATCHBAY_OPS_FAST, and the
 *           function is simple (call.h)
 * @has_exits: some members have an exit
 * @more:    the size of the members' words of a call that do not fit its frame, in bytes;
 *           a multiple of 16; trampolines read it
 * @told:    the bits of these words: call->told of a call that all members see
 * @since:   the highest number of the members, disabled or not, and the direct way of
 *           cells with this set (call.h) instead of a word
 * @enter:   how a cell enters the set. It saves vector registers unless all handlers are
 *           FAST, and calls the body if any member has an exit
 * @entries: the entry handlers, in the order in which they were armed
 * @exits:   the exit handlers, in the opposite order, without patchbay_no_exit()
 *
 * Both lists end with NULL and have at least one member. A list without handlers has a
 * member that does nothing.
 */
struct pb_set {
	struct pb_set *retired;
	size_t nr;
	int fast, fast_exits, has_exits;
	unsigned int more;
	uint64_t told;
	uint64_t since;
	patchbay_handler enter;
	const struct patchbay_cell *const *entries, *const *exits;
	struct patchbay_cell cells[];
};

/*
 * The set of a cell whose tracers are gone, while a thread may be inside it: one tracer
 * that does nothing and is not counted.
 */
extern const struct pb_set pb_set_nobody;

/* An entry or exit list without handlers: a member that does nothing, and NULL. */
extern const struct patchbay_cell *const pb_set_only_nothing[];

/*
 * The contents of a function's cell whose only tracer is @ops, and of a member of a set.
 * @since: the number of the arming batch, and the tracer's word
 */
struct patchbay_cell pb_ops_cell(struct patchbay_ops *ops,
				 const struct patchbay_record *record,
				 void *data, uint64_t since);

/*
 * The tracers of a cell whose ops is not NULL: the members of its set, or the cell
 * itself. *@nr is their number, which may be 0.
 */
const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr);

/* The member of @ops on @cell; NULL: the tracer is not on it. */
const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops);

/*
 * Returns a new set of these tracers, which are in the order in which they were armed;
 * NULL: out of memory.
 */
struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr);

/*
 * The same for the current tracers of @cell, without @less and with @more appended; either
 * may be NULL. At least one tracer is left.
 */
struct pb_set *pb_set_change(const struct patchbay_cell *cell,
			     const struct patchbay_cell *more,
			     const struct patchbay_ops *less);

/*
 * The same in two steps, of which only the first can fail. pb_set_reserve() allocates a
 * set of @nr members. pb_set_renew() copies the tracers of @old in their current state.
 */
struct pb_set *pb_set_reserve(size_t nr);
void pb_set_renew(struct pb_set *set, const struct pb_set *old);

/* The size of a set of @nr members, in bytes. */
size_t pb_set_size(size_t nr);

/*
 * Returns a free word of calls for one more tracer with an exit; -E2BIG if all are taken.
 */
int pb_set_find_word(const struct patchbay_cell *cells, size_t nr);

/* Set the data of the tracer @ops. The set is not published yet. */
void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data);

/* Free @set, unless it is NULL or pb_set_nobody. */
void pb_set_free(struct pb_set *set);

/*
 * Call the handlers of @cell's set. Compiled without vector instructions. Cells enter
 * pb_set_call_fast() directly if all handlers are FAST. If the cell has got another set
 * since the thread entered it, pb_set_call_fast() checks that again.
 */
pb_handler pb_set_call_fast, pb_set_call;

/* The enter function of a cell whose function has no tracer. */
pb_handler pb_enter_nothing;

/*
 * The entry and exit handlers in cells of tracers with a threshold. On x86-64 the
 * trampolines do the same without a call where they can (arch/x86_64/direct.h): a call
 * would cost too much for functions below the threshold.
 */
pb_handler pb_timed_entry, pb_timed_exit;

#endif /* PB_CORE_SET_H */
