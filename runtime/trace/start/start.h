/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts, changes and ends tracing. Handlers must not call these functions. Callers of
 * functions that change tracing must serialize their calls.
 */
#ifndef PB_TRACE_START_H
#define PB_TRACE_START_H

#include "options/options.h"

#include <patchbay/patchbay.h>

/*
 * Parse PATCHBAY. On error returns -errno and the reason in @why. Call pb_start_read(),
 * pb_start_begin() and pb_start_arm() in this order.
 */
int pb_start_read(const char *value, char why[PB_WHY_MAX]);
/*
 * Part of pb_start_read(): check that pb_options are compatible with each other and with
 * this system. @tracer is the result of pb_tracer_find(). Returns 0, or -EINVAL with the
 * reason in @why.
 */
struct pb_tracer_kind;
int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX]);
/* Create the session and its tracers. Fails if the output directory is unusable. */
int pb_start_begin(void);
/* Arm the tracers. Failures are stored in the file (pb_note()). */
void pb_start_arm(void);
/*
 * Disarm and destroy all tracers. Returns 0 when no thread is in a handler. On errors of
 * patchbay_ops_destroy(), threads have stopped entering handlers, but a thread may still be
 * in a handler: call this function again.
 */
int pb_start_undo(void);

/* Close the file and reset the session, after pb_start_undo() has returned 0. */
void pb_session_forget(void);

/* Destroy a tracer. Returns 0 and sets *@ops to NULL, or an error of patchbay_ops_destroy(). */
int pb_tracer_destroy(struct patchbay_ops **ops);

/*
 * Write data that is only known at the end: modules and functions that are not traced,
 * names of threads, and a last moment, for the rate of the clock.
 */
void pb_write_end(void);

/* Store a failure in the data file. @result is -errno; other values are ignored. */
void pb_note(int result);

/*
 * Arm the tracer on the functions that @which selects, except functions of notrace=. The
 * notrace field of @which must be unset. @flags are PATCHBAY_ARM_*. Returns the result of
 * patchbay_arm_filter().
 */
int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags);
/*
 * Disarm the tracer on functions that any of the @nr filters selects, and drop equal
 * filters for future modules. On error nothing has changed. Returns the result of
 * patchbay_batch_commit().
 */
int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr);

/*
 * Disarm and rearm the tracers on armed functions that @which selects, so that their
 * handlers run after the handlers of all other tracers.
 */
void pb_tracer_arm_again(const struct patchbay_filter *which);

/* Set the threshold. Returns -EOPNOTSUPP if the tracer records no durations. */
int pb_tracer_set_threshold(uint64_t ns);
/* Convert @ns to ticks of the processor's counter. Needs a session with events. */
uint64_t pb_tracer_ticks(uint64_t ns);
/* Does the tracer record the duration of each call? */
int pb_tracer_has_durations(void);

/*
 * Returns the number of functions that pb_tracer, pb_values_tracer and pb_typed_tracer are
 * armed on. Each function has only one of these tracers.
 */
uint32_t pb_tracer_armed(void);

/*
 * @stop is 1: stop recording, but keep functions armed. When this returns 0, no thread is
 * in a handler or enters a handler. @stop is 0: continue. Returns errors of
 * patchbay_ops_disable().
 */
int pb_tracer_stop(int stop);

/*
 * Stop or continue recording without a system call. No other thread may change tracers
 * during the call (core/system/private.h).
 */
void pb_tracer_pause(int paused);

/* Is the tracer recording now? */
int pb_tracer_is_recording(void);

#endif /* PB_TRACE_START_H */
