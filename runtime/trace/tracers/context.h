/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * trace-context= records the distributed trace of calls that args= or typed= select. The
 * program keeps the trace context as a W3C traceparent string ("00-...-...-01"). An
 * argument or a thread-local variable points to the string, or a thread-local array
 * contains the string. Spans from a recording can then join spans of the program's own
 * instrumentation, or of a proxy.
 *
 * The exit handler reads the string by one system call per traced call, because the program
 * may have freed the string. Calls whose string is invalid or unreadable are counted
 * (struct pbd_losses), and recorded without a trace. A null pointer or an empty string
 * means no trace.
 */
#ifndef PB_TRACE_CONTEXT_H
#define PB_TRACE_CONTEXT_H

#include "options/options.h"

#include <patchbay/patchbay.h>

/* Is there a trace context to record? */
extern int pb_context_wanted;

/*
 * Locate the variable of the trace context. @is_start: the program has not begun yet, so
 * variables of all loaded libraries have the same offset in all threads. Returns 0, or
 * -EINVAL with the reason in @why.
 */
int pb_context_start(int is_start, char why[PB_WHY_MAX]);

/*
 * Record the trace context as values. Call this before recording the call of @function.
 * Async-signal-safe.
 */
void pb_context_record(uint64_t function, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

#endif /* PB_TRACE_CONTEXT_H */
