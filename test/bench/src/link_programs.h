/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that replace the result of hot_callee(), with general registers only. */
#ifndef BENCH_LINK_PROGRAMS_H
#define BENCH_LINK_PROGRAMS_H

#include <patchbay/patchbay.h>

void count_and_answer(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void answer(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	    struct patchbay_regs *regs);

#endif /* BENCH_LINK_PROGRAMS_H */
