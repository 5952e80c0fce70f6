/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The function_profile tracer: counts calls, in the data file itself. */
#ifndef PB_TRACE_PROFILE_H
#define PB_TRACE_PROFILE_H

#include <patchbay/patchbay.h>

/* cell->data is the address of a 64-bit counter. General registers only. */
void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);

#endif /* PB_TRACE_PROFILE_H */
