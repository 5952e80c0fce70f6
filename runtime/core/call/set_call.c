/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls entry handlers. Compiled for general registers only: vectors may hold arguments. */
#include "types/set.h"

#include "arch/arch.h"

/* The member of lists without handlers, so that walks need not check for an empty list. */
static const struct patchbay_cell nothing = { .func = pb_enter_nothing,
					      .exit = pb_enter_nothing };
const struct patchbay_cell *const pb_set_only_nothing[] = { &nothing, NULL };

const struct pb_set pb_set_nobody = {
	.nr = 1,
	.fast = 1,
	.entries = pb_set_only_nothing,
	.exits = pb_set_only_nothing,
	.cells = { { .func = pb_enter_nothing } },
};

/*
 * Call only members without an exit. A thread gets here if it entered the cell before a
 * tracer with an exit joined the set. Its call has no word for that tracer.
 */
static void walk_without_exits(const struct pb_set *set, uintptr_t ip,
			       uintptr_t parent_ip, struct patchbay_regs *regs)
{
	for (const struct patchbay_cell *const *at = set->entries; *at; at++)
		if (!(*at)->exit)
			(*at)->func(ip, parent_ip, *at, regs);
}

/*
 * Call the entry handlers of @set. The last one is a tail call, so a short set costs little
 * more than its branches.
 *
 * `kept` has the arguments of the next handlers, on the stack. In callee-saved registers these
 * values would cost more stack accesses, and copies.
 */
static inline void walk(const struct pb_set *set, uintptr_t ip,
			uintptr_t parent_ip, struct patchbay_regs *regs)
{
	const struct patchbay_cell *const *at = set->entries;
	const struct patchbay_cell *member = at[0], *next = at[1];
	volatile struct {
		uintptr_t ip, parent_ip;
		struct patchbay_regs *regs;
		const struct patchbay_cell *const *at;
	} kept;

	if (next) {
		kept.ip = ip;
		kept.parent_ip = parent_ip;
		kept.regs = regs;
		do {
			kept.at = ++at;
			member->func(ip, parent_ip, member, regs);
			ip = kept.ip;
			parent_ip = kept.parent_ip;
			regs = kept.regs;
			at = kept.at;
			member = at[0];
			next = at[1];
		} while (next);
	}
	member->func(ip, parent_ip, member, regs);
}

__attribute__((aligned(64)))
void pb_set_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (set->has_exits)
		walk_without_exits(set, ip, parent_ip, regs);
	else
		walk(set, ip, parent_ip, regs);
}

/* This alignment keeps the loop in one line of 64 bytes, which saves 1-2 cycles per tracer. */
__attribute__((aligned(64)))
void pb_set_call_fast(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (set->fast)
		walk(set, ip, parent_ip, regs);
	else
		pb_arch_enter_set(ip, parent_ip, cell, regs);
}
