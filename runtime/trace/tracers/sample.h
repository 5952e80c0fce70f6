/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_SAMPLE_H
#define PB_TRACE_SAMPLE_H

#include <stdint.h>

/*
 * Record one of @n calls; 0: all. Calls that are open now belong to no tree of the recording.
 */
void pb_sample_set(uint64_t n);

#endif /* PB_TRACE_SAMPLE_H */
