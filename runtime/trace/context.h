/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With trace-context= calls of functions that args= or typed= names are recorded with the trace that
 * they are part of: the program has it as W3C's traceparent ("00-...-...-01"), in an
 * argument or a thread-local variable that points there, or in an array that is such a
 * variable. So spans that are made of a
 * recording belong to those that the program's own instrumentation, or a proxy, has sent.
 *
 * It is read when the call ends, through the kernel, as who has it may have freed it by
 * then: one system call for each of these calls. What is no traceparent, or cannot be read, is
 * not recorded, and counted; a null pointer and an empty text are no trace.
 */
#ifndef PB_TRACE_CONTEXT_H
#define PB_TRACE_CONTEXT_H

#include "options.h"

#include <patchbay/patchbay.h>

/* Is there something to do? */
extern int pb_context_wanted;

/*
 * Find out where it is. @is_start: the program has not begun yet, so all libraries that
 * are there have their thread-local variables at the same place in each thread. Returns 0
 * or -EINVAL, and says why.
 */
int pb_context_start(int is_start, char why[PB_WHY_MAX]);

/* Before the record of a call of @function, as values. Async-signal-safe. */
void pb_context_record(uint64_t function, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs);

#endif /* PB_TRACE_CONTEXT_H */
