/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands before a function's own cell where slots lead to shared ones (shared.h). */
#ifndef PB_CORE_GATE_H
#define PB_CORE_GATE_H

#include <patchbay/patchbay.h>

/*
 * The cell of function @ip, that @gate stands before. Compiled for general
 * registers only; it may run at any time.
 */
const struct patchbay_cell *pb_gate_find(const struct patchbay_cell *gate,
					 uintptr_t ip);

/* cell->enter of a gate: pb_gate_find(), and what that cell enters. */
void pb_arch_enter_gate(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
	__attribute__((visibility("hidden")));

/* What a gate has for a handler, which nobody calls: it tells that it is one. */
static inline int pb_is_gate(const struct patchbay_cell *cell)
{
	return cell->func == pb_arch_enter_gate;
}

#endif /* PB_CORE_GATE_H */
