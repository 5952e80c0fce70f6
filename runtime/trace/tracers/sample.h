/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_SAMPLE_H
#define PB_TRACE_SAMPLE_H

#include <stdint.h>

/* N of sample=1/N; 0: record all calls. */
extern uint64_t pb_sample;

#endif /* PB_TRACE_SAMPLE_H */
