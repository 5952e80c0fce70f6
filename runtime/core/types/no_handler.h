/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_CORE_NO_HANDLER_H
#define PB_CORE_NO_HANDLER_H

#include <patchbay/patchbay.h>

/* What a cell enters while its function has no tracer. */
void pb_enter_nothing(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

#endif /* PB_CORE_NO_HANDLER_H */
