/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts tracing, and changes it later. Handlers must not call these functions. Only one thread
 * at a time may call functions that change something.
 */
#ifndef PB_TRACE_START_H
#define PB_TRACE_START_H

#include "options/options.h"

#include <patchbay/patchbay.h>

/*
 * Call these three in this order. Parse PATCHBAY. On error returns -errno and the reason in
 * @why.
 */
int pb_start_read(const char *value, char why[PB_WHY_MAX]);
/*
 * Part of pb_start_read(): check that pb_options can be combined, and work on this system.
 * @tracer is the result of pb_tracer_find() for them. Returns 0, or -EINVAL with the reason
 * in @why.
 */
struct pb_tracer_kind;
int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX]);
/* Create the session and its tracers. Errors are those of the output directory. */
int pb_start_begin(void);
/* Arm the tracers. Failures are stored in the file (pb_note()). */
void pb_start_arm(void);
/*
 * Undo all three: disarm and destroy all tracers. Returns 0 if no thread is in a handler
 * any more. Errors are those of patchbay_ops_destroy(): no thread enters a handler any
 * more, but a thread may still be in one. Then call this again.
 */
int pb_start_undo(void);

/*
 * The recording is over, and no tracer is left: close the file and reset the session.
 */
void pb_session_forget(void);

/* Destroy a tracer. Returns 0 and sets *@ops to NULL, or an error of patchbay_ops_destroy(). */
int pb_tracer_destroy(struct patchbay_ops **ops);

/*
 * Write what is only known at the end: modules and functions that are not traced, names of
 * threads, and a last moment, for the rate of the clock.
 */
void pb_write_end(void);

/* Store a failure in the data file. @result is -errno; other values are ignored. */
void pb_note(int result);

/*
 * Arm the tracer on the functions that @which selects, except those of notrace=. @which must
 * have no exceptions of its own. @flags are PATCHBAY_ARM_*. Returns the result of
 * patchbay_arm_filter().
 */
int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags);
/*
 * Disarm the tracer on functions that any of @nr filters selects, and drop equal filters
 * for modules that are loaded later. Does all of this or nothing. Returns the result of
 * patchbay_batch_commit().
 */
int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr);

/*
 * On armed functions that @which selects, arm the tracers again, so that their handlers run
 * after all others.
 */
void pb_tracer_arm_again(const struct patchbay_filter *which);

/* Set the threshold. Returns -EOPNOTSUPP if the tracer records no durations. */
int pb_tracer_set_threshold(uint64_t ns);
/* Convert to ticks of the processor's counter. Needs a session with events. */
uint64_t pb_tracer_ticks(uint64_t ns);
/* Does the tracer record the duration of each call? */
int pb_tracer_has_durations(void);

/* The number of functions that the tracer, or that of args= or typed=, is armed on. A function
 * has only one of the three. */
uint32_t pb_tracer_armed(void);

/*
 * 1: stop recording; functions stay armed. When this returns 0, no thread is in a handler or
 * enters one. 0: continue. Errors are those of patchbay_ops_disable().
 */
int pb_tracer_stop(int stop);

/*
 * Stop or continue without a system call. No other thread may change tracers during the
 * call (core/system/private.h).
 */
void pb_tracer_pause(int paused);

/* Is the tracer recording now? */
int pb_tracer_is_recording(void);

#endif /* PB_TRACE_START_H */
