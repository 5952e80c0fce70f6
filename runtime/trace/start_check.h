/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether what PATCHBAY asks for goes together, and can be done here. */
#ifndef PB_TRACE_START_CHECK_H
#define PB_TRACE_START_CHECK_H

#include "options.h"
#include "tracer_table.h"

/*
 * @tracer is what pb_tracer_find() has for pb_options. Returns 0, or -EINVAL and in
 * @why what is wrong.
 */
int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX]);

#endif /* PB_TRACE_START_CHECK_H */
