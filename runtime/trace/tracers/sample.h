/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_SAMPLE_H
#define PB_TRACE_SAMPLE_H

#include <stdint.h>

/*
 * Record one of @n calls; 0: all. Begins anew: calls that are open now count as not chosen.
 */
void pb_sample_set(uint64_t n);

#endif /* PB_TRACE_SAMPLE_H */
