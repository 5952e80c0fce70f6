/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that the options of PATCHBAY can be combined, and work on this system. */
#ifndef PB_TRACE_START_CHECK_H
#define PB_TRACE_START_CHECK_H

#include "options/options.h"
#include "tracers/tracer_table.h"

/*
 * Check pb_options. @tracer is the result of pb_tracer_find() for them. Returns 0, or -EINVAL
 * with the reason in @why.
 */
int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX]);

#endif /* PB_TRACE_START_CHECK_H */
