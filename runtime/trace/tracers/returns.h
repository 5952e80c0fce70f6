/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handlers that count calls without a return (losses.h), for tracers with an entry handler.
 * For tracers with a threshold and no entry handler, libpatchbay counts. Each
 * NAME_counted() calls NAME() and counts.
 *
 * function_graph without a threshold needs no such handlers: it records each entry, so
 * calls without a return are in the file.
 */
#ifndef PB_TRACE_RETURNS_H
#define PB_TRACE_RETURNS_H

#include <patchbay/patchbay.h>

#define PB_COUNTED_HANDLER(name)                                               \
	void name##_counted(uintptr_t ip, uintptr_t parent_ip,                 \
			    const struct patchbay_cell *cell,                  \
			    struct patchbay_regs *regs)
PB_COUNTED_HANDLER(pb_graph_entry);
PB_COUNTED_HANDLER(pb_depth_duration_entry);
PB_COUNTED_HANDLER(pb_depth_graph_entry);
PB_COUNTED_HANDLER(pb_awake_entry);
PB_COUNTED_HANDLER(pb_awake_graph_entry);
PB_COUNTED_HANDLER(pb_sample_duration_entry);
PB_COUNTED_HANDLER(pb_sample_graph_entry);
PB_COUNTED_HANDLER(pb_typed_duration_entry);
PB_COUNTED_HANDLER(pb_typed_graph_entry);
PB_COUNTED_HANDLER(pb_graph_exit);
PB_COUNTED_HANDLER(pb_values_graph_exit);
PB_COUNTED_HANDLER(pb_depth_exit);
PB_COUNTED_HANDLER(pb_awake_exit);
PB_COUNTED_HANDLER(pb_awake_histogram_exit);
PB_COUNTED_HANDLER(pb_sample_exit);
PB_COUNTED_HANDLER(pb_sample_values_exit);
PB_COUNTED_HANDLER(pb_typed_exit);

#endif /* PB_TRACE_RETURNS_H */
