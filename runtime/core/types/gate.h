/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gates: shared cells that point to a function's private cell (shared_cells.h). */
#ifndef PB_CORE_GATE_H
#define PB_CORE_GATE_H

#include <patchbay/patchbay.h>

/* The type of handlers and of cell->enter. */
typedef void pb_handler(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell, struct patchbay_regs *regs);

/*
 * The private cell of function @ip, whose slot points to @gate. Compiled for general
 * registers only; may run at any time.
 */
const struct patchbay_cell *pb_gate_find(const struct patchbay_cell *gate,
					 uintptr_t ip);

/* cell->enter of a gate: calls pb_gate_find(), then enters the private cell. */
pb_handler pb_arch_enter_gate __attribute__((visibility("hidden")));

/* Is @cell a gate? Gates are marked by their func, which is never called. */
static inline int pb_is_gate(const struct patchbay_cell *cell)
{
	return cell->func == pb_arch_enter_gate;
}

#endif /* PB_CORE_GATE_H */
