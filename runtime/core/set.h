/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several tracers on one function: an immutable array of exactly these, which
 * the function's cell points to. Nobody joins or leaves a set; a cell is given
 * another, and the old one is freed when nobody can be walking it any more.
 * Only which function a tracer's handler is may change: patchbay_ops_update().
 */
#ifndef PB_CORE_SET_H
#define PB_CORE_SET_H

#include <patchbay/patchbay.h>

/*
 * @retired: of a list of sets that were replaced
 * @nr:      not 0, so that walking one is short
 * @fast:    all handlers are PATCHBAY_OPS_FAST, and none has an exit
 * @exits:   some have
 * @fast_exits: some have, all are PATCHBAY_OPS_FAST, and the function is simple
 *           (call.h)
 * @more:    bytes for their words of a call that are not in its frame, a
 *           multiple of 16; trampolines read it
 * @told:    whose words those are: call->told when all are told
 * @since:   the highest of theirs, without its word
 * @enter:   how a cell enters it: with vector registers saved if any handler
 *           asks, with the body called if any has an exit
 */
struct pb_set {
	struct pb_set *retired;
	size_t nr;
	int fast, fast_exits, exits;
	unsigned int more;
	uint64_t told;
	uint64_t since;
	patchbay_handler enter;
	struct patchbay_cell cells[];
};

/*
 * What a cell has whose tracers have gone while a thread may be inside: one
 * tracer that does nothing and is not counted.
 */
extern const struct pb_set pb_set_nobody;

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

/* A new set of these tracers. NULL: out of memory. */
struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr);

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
