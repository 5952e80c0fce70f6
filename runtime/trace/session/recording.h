/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What this process records at the moment. Handlers read these variables. */
#ifndef PB_TRACE_RECORDING_H
#define PB_TRACE_RECORDING_H

#include <patchbay/patchbay.h>
#include <stdint.h>

/* Hidden, so that handlers load them without the global offset table. */
#pragma GCC visibility push(hidden)

/* The tracer of most functions, to disable and enable it. */
extern struct patchbay_ops *pb_tracer;
/* The tracer of functions with args=; NULL if there are none. */
extern struct patchbay_ops *pb_values_tracer;
/* The tracer of functions with typed=; NULL if there are none. */
extern struct patchbay_ops *pb_typed_tracer;

/* These three. A function has only one of them. */
enum pb_tracer_of { PB_PLAIN, PB_VALUES, PB_TYPED, PB_NR_TRACERS };
extern struct patchbay_ops **const pb_tracers[PB_NR_TRACERS];

/* Does the tracer record more than counters, which all exist already? */
extern int pb_tracer_needs_blocks;

/*
 * Are events recorded now? pb_threshold: the minimum duration, in ticks, of recorded
 * calls. It is UINT64_MAX while recording is off, otherwise pb_threshold_when_recording.
 */
extern int pb_recording;
extern uint64_t pb_threshold;
extern uint64_t pb_threshold_when_recording;

/* Is this process waiting for a call of the function of start_at? */
extern int pb_waiting;

/* Is this process waiting for the first call of a function of under=? */
extern int pb_under_waiting;

/* The number of function numbers in use. */
extern uint64_t pb_nr_functions;

/* The number of places in use in the threads' tables (functions/index.h). */
extern uint64_t pb_nr_places;

#pragma GCC visibility pop

#endif /* PB_TRACE_RECORDING_H */
