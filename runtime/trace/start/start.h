/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts tracing, and changes it later. Handlers must not call these functions.
 * Callers of functions that change something must not run concurrently.
 */
#ifndef PB_TRACE_START_H
#define PB_TRACE_START_H

#include "options/options.h"

#include <patchbay/patchbay.h>

/* Call these three in this order. Parses PATCHBAY; @why has the reason of an error. */
int pb_start_read(const char *value, char why[PB_WHY_MAX]);
/* Make the session and its tracers. Errors are those of the output directory. */
int pb_start_begin(void);
/* Arm the tracers. Failures are noted (see pb_note()). */
void pb_start_arm(void);
/*
 * Undo all of it. When it returns 0, nothing is armed, no thread is in a
 * handler, and no tracer is left. Errors are those of patchbay_ops_destroy():
 * no thread enters a handler any more, but one may still be in a handler. Call
 * it again then.
 */
int pb_start_undo(void);

/*
 * Write what is known at the end: modules and functions that are not traced, names
 * of threads, and a last moment, which makes the rate of the clock more precise.
 */
void pb_write_end(void);

/* Record a failure in the data file. @result is -errno. Other values are ignored. */
void pb_note(int result);

/*
 * Arm the tracer on functions that @which selects, except those of notrace=.
 * @which itself has no exceptions. @flags are PATCHBAY_ARM_*. Returns the
 * result of patchbay_arm_filter().
 */
int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags);
/*
 * Disarm the tracer on functions that any of @nr filters selects, and forget
 * equal filters for later modules: all of them or none. Returns the result of
 * patchbay_batch_commit().
 */
int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr);

/*
 * For armed functions that @which selects: run the tracer, and that of args=,
 * after all other tracers.
 */
void pb_tracer_arm_again(const struct patchbay_filter *which);

/* Returns -EOPNOTSUPP if the tracer records no durations. */
int pb_tracer_set_threshold(uint64_t ns);
/* In ticks of the processor's counter. Needs a session with events. */
uint64_t pb_tracer_ticks(uint64_t ns);
/* Does the tracer record the duration of each call? */
int pb_tracer_has_durations(void);

/* On how many functions is it, or one of the two below, armed? Each function
 * has one of the three. */
uint32_t pb_tracer_armed(void);

/*
 * 1: stop recording; functions stay armed. When it returns 0, no thread is in a
 * handler, and none begins one. 0: go on. Errors are those of
 * patchbay_ops_disable().
 */
int pb_tracer_stop(int stop);

/*
 * The same without a system call. No other thread may change tracers meanwhile
 * (core/system/private.h).
 */
void pb_tracer_pause(int paused);

/* Is it recording now? */
int pb_tracer_is_recording(void);

#endif /* PB_TRACE_START_H */
