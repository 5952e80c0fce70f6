/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handlers of Patchbay's tracers, in a separate file that is compiled with
 * -mgeneral-regs-only.
 */
#ifndef BENCH_HANDLERS_H
#define BENCH_HANDLERS_H

#include <patchbay/exit.h>

extern uint64_t counted_calls;

void count_call(uintptr_t ip, uintptr_t parent_ip,
		const struct patchbay_cell *cell, struct patchbay_regs *regs);
void ignore_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs);

/* Counts the call, and replaces the function's result by its argument plus 1. */
void answer_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs);

#endif /* BENCH_HANDLERS_H */
