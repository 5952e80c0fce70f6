/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several tracers on one function: an immutable array of exactly these, which
 * the function's cell points to. A set is never changed; a cell is given
 * another, and the old one is freed when nobody can be walking it any more.
 */
#ifndef PB_CORE_SET_H
#define PB_CORE_SET_H

#include <patchbay/patchbay.h>

struct pb_set {
	struct pb_set *retired;
	size_t nr;
	struct patchbay_cell cells[];
};

/*
 * The tracers of an armed cell: those of its set, or the cell itself. *@nr is
 * their number.
 */
const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr);

/* The entry of @ops on an armed cell, or NULL. */
const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops);

/*
 * A new set: the tracers of @cell, without @gone unless that is NULL, and
 * then room for one more if @more. NULL: out of memory.
 */
struct pb_set *pb_set_new(const struct patchbay_cell *cell,
			  const struct patchbay_ops *gone, int more);

/* How a cell enters @set: with vector registers saved if any handler asks. */
patchbay_handler pb_set_enter(const struct pb_set *set);

/*
 * Walk the set of @cell. Compiled without vector instructions: this is what a
 * cell enters directly if all handlers are PATCHBAY_OPS_FAST.
 */
void pb_set_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs);

#endif /* PB_CORE_SET_H */
