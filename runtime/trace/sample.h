/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_SAMPLE_H
#define PB_TRACE_SAMPLE_H

#include <stdint.h>

/* N of sample=1/N; 0: all calls are recorded. */
extern uint64_t pb_sample;

/* How many places functions have by now in the tables of threads. */
extern uint64_t pb_nr_places;

#endif /* PB_TRACE_SAMPLE_H */
