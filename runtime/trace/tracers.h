/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracers of libpatchbay-trace. Handlers are in files of their own, which
 * are compiled for general registers only; that is what PATCHBAY_OPS_FAST says.
 *
 * function_profile:  counts calls, in the data file itself: no events
 * function:          an event at each entry
 */
#ifndef PB_TRACE_TRACERS_H
#define PB_TRACE_TRACERS_H

#include <patchbay/patchbay.h>

/* cell->data is the address of a 64-bit counter. */
void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
int pb_profile_attach(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);

/* cell->data is the number of the function. */
void pb_function_entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

/* Triggers: they begin and end recording, whatever cell->data is. */
void pb_trigger_start(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_trigger_stop(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);

/* Are events recorded now? */
extern int pb_recording;

#endif /* PB_TRACE_TRACERS_H */
