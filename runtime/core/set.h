/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several tracers on one function: an immutable array of exactly these, which
 * the function's cell points to. Nobody joins or leaves a set, nobody in it is
 * disabled, enabled or given another handler: for each of these the cell is given
 * another set, and the old one is freed when nobody can be walking it any more.
 *
 * So what is called at an entry and at an exit is known when a set is made, and
 * who calls it asks nobody: @entries and @exits are lists of just those members,
 * in the order in which they are called. Members that are disabled are on
 * neither, and their exits count for nothing; they are only among @cells.
 */
#ifndef PB_CORE_SET_H
#define PB_CORE_SET_H

#include <patchbay/patchbay.h>

/*
 * @retired: of a list of sets that were replaced
 * @nr:      of its members, disabled or not; not 0
 * @fast:    all handlers are PATCHBAY_OPS_FAST, and none has an exit
 * @fast_exits: some have, all are PATCHBAY_OPS_FAST, and the function is simple
 *           (call.h)
 * @has_exits: some have
 * @more:    bytes for their words of a call that are not in its frame, a
 *           multiple of 16; trampolines read it
 * @told:    whose words those are: call->told when all are told
 * @since:   the highest of its members, disabled or not; without a word, but with
 *           the direct way of cells that have the set (call.h)
 * @enter:   how a cell enters it: with vector registers saved if any handler
 *           asks, with the body called if any has an exit
 * @entries: entry handlers, in the order in which they were armed
 * @exits:   exit handlers, in the opposite order, without patchbay_no_exit()
 *
 * Both lists end with NULL. They are not empty: who has nobody to call has a
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
 * What a cell has whose tracers have gone while a thread may be inside: one
 * tracer that does nothing and is not counted.
 */
extern const struct pb_set pb_set_nobody;

/* The list of whoever has nobody to call: one who does nothing, and the end. */
extern const struct patchbay_cell *const pb_set_only_nothing[];

/*
 * What the cell of a function is when @ops is alone there; and in sets.
 * @since: when it was armed, and its word
 */
struct patchbay_cell pb_ops_cell(struct patchbay_ops *ops,
				 const struct patchbay_record *record,
				 void *data, uint64_t since);

/*
 * The tracers of a cell with @ops: those of its set, or the cell itself. *@nr
 * is their number; it may be 0.
 */
const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr);

/* The entry of @ops on an armed cell, or NULL. */
const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops);

/*
 * A new set of these tracers, which are in the order in which they were armed.
 * NULL: out of memory.
 */
struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr);

/*
 * The same of the tracers of @cell, as they are by now: with @more behind them, or
 * without @ops, which is one of several.
 */
struct pb_set *pb_set_with(const struct patchbay_cell *cell,
			   const struct patchbay_cell *more);
struct pb_set *pb_set_without(const struct patchbay_cell *cell,
			      const struct patchbay_ops *ops);

/*
 * The same in two steps, of which only the first can fail: memory for a set of so
 * many; and the tracers of @old, with @ops as it is by now.
 */
struct pb_set *pb_set_reserve(size_t nr);
void pb_set_renew(struct pb_set *set, const struct pb_set *old,
		  struct patchbay_ops *ops);

/* How many bytes that takes. */
size_t pb_set_size(size_t nr);

/*
 * A word of calls for a tracer with an exit that is to join these; -E2BIG if
 * they have all.
 */
int pb_set_find_word(const struct patchbay_cell *cells, size_t nr);

/* Before it is put to use: the data of one of its tracers. */
void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data);

/* Free @set, unless it is NULL or pb_set_nobody. */
void pb_set_free(struct pb_set *set);

/*
 * Walk the set of @cell. Compiled without vector instructions. The first is
 * for cells that enter it directly, because all handlers are FAST; if the cell
 * has been given another set since it was entered, that may not be so any more.
 */
void pb_set_call_fast(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_set_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs);

#endif /* PB_CORE_SET_H */
