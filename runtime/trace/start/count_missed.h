/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_COUNT_MISSED_H
#define PB_TRACE_COUNT_MISSED_H

#include <patchbay/patchbay.h>

/* libpatchbay calls it (core/system/private.h): this tracer has missed a call. */
void pb_count_missed(const struct patchbay_ops *ops);

#endif /* PB_TRACE_COUNT_MISSED_H */
