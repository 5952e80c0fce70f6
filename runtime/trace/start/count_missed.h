/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_COUNT_MISSED_H
#define PB_TRACE_COUNT_MISSED_H

#include <patchbay/patchbay.h>

/* libpatchbay calls this if the tracer @ops has missed a call (core/system/private.h). */
void pb_count_missed(const struct patchbay_ops *ops);

#endif /* PB_TRACE_COUNT_MISSED_H */
