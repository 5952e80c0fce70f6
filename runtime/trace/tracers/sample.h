/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_SAMPLE_H
#define PB_TRACE_SAMPLE_H

#include <stdint.h>

/* Set N of sample=1/N; 0: all calls. Trees that are open at this moment are not continued. */
void pb_sample_set(uint64_t n);

#endif /* PB_TRACE_SAMPLE_H */
