/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * trace-context= records the distributed trace of calls that args= or typed= select. The
 * program has the trace as a W3C traceparent string ("00-...-...-01"). An argument or a
 * thread-local variable points to the string, or it is in a thread-local array. Spans from
 * a recording then join those of the program's own instrumentation, or of a proxy.
 *
 * The exit handler reads the string by a system call, because the program may have freed
 * the string by then. That costs one system call per call. A string that is no traceparent,
 * or cannot be read, is counted and not recorded. A null pointer or an empty string means
 * no trace.
 */
#ifndef PB_TRACE_CONTEXT_H
#define PB_TRACE_CONTEXT_H

#include "options/options.h"

#include <patchbay/patchbay.h>

/* Is there a trace context to record? */
extern int pb_context_wanted;

/*
 * Find out where the trace context is. @is_start: the program has not begun yet, so each
 * thread will have the variables of all loaded libraries at the same offset. Returns 0, or
 * -EINVAL with the reason in @why.
 */
int pb_context_start(int is_start, char why[PB_WHY_MAX]);

/*
 * Records the trace context as values, before the record of a call of
 * @function. Async-signal-safe.
 */
void pb_context_record(uint64_t function, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

#endif /* PB_TRACE_CONTEXT_H */
