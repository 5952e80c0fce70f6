/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the recording that handlers read. */
#ifndef PB_TRACE_RECORDING_H
#define PB_TRACE_RECORDING_H

#include <patchbay/patchbay.h>
#include <stdint.h>

/* Hidden, so that handlers load these variables without the global offset table. */
#pragma GCC visibility push(hidden)

/* The tracer of functions without args= and typed=. */
extern struct patchbay_ops *pb_tracer;
/* The tracer of functions with args=; NULL if there are none. */
extern struct patchbay_ops *pb_values_tracer;
/* The tracer of functions with typed=; NULL if there are none. */
extern struct patchbay_ops *pb_typed_tracer;

/* The indices of these three tracers. Each function has only one tracer. */
enum pb_tracer_of { PB_PLAIN, PB_VALUES, PB_TYPED, PB_NR_TRACERS };
extern struct patchbay_ops **const pb_tracers[PB_NR_TRACERS];

/* Does the tracer record events or per-thread counters, which need space in the file? */
extern int pb_tracer_needs_blocks;

/*
 * pb_recording: are events recorded now? pb_threshold: the minimum duration of recorded
 * calls, in ticks: pb_threshold_when_recording, or UINT64_MAX while recording is off.
 */
extern int pb_recording;
extern uint64_t pb_threshold;
extern uint64_t pb_threshold_when_recording;

/* Is this process waiting for a call of a function of start-at=? */
extern int pb_waiting;

/* Is this process waiting for the first call of a function of under=? */
extern int pb_under_waiting;

/* The number of function numbers in use. */
extern uint64_t pb_nr_functions;

/* The number of indices in use in the threads' tables (functions/index.h). */
extern uint64_t pb_nr_places;

#pragma GCC visibility pop

#endif /* PB_TRACE_RECORDING_H */
