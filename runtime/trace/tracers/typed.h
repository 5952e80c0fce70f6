/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers of functions with typed=, which record arguments as debug information describes
 * them. Handlers run short programs (typed_program.h).
 */
#ifndef PB_TRACE_TYPED_H
#define PB_TRACE_TYPED_H

#include "functions/typed_program.h"

#include <patchbay/patchbay.h>

#define PB_TYPED_HANDLER(name)                                                 \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell,                            \
		  struct patchbay_regs *regs)
/* Handlers of function, function_duration and function_graph, for functions of typed=. */
PB_TYPED_HANDLER(pb_typed_entry);
PB_TYPED_HANDLER(pb_typed_duration_entry);
PB_TYPED_HANDLER(pb_typed_graph_entry);
PB_TYPED_HANDLER(pb_typed_exit);

#endif /* PB_TRACE_TYPED_H */
