/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What was started, and can be changed later. Not for handlers. Callers of the
 * functions that change something do so one after another.
 */
#ifndef PB_TRACE_START_H
#define PB_TRACE_START_H

#include "options.h"

#include <patchbay/patchbay.h>

/* From first to last, in this order. What PATCHBAY says, or what is wrong with it. */
int pb_start_read(const char *value, char why[PB_WHY_MAX]);
/* The session and its tracers. Errors are of the output directory. */
int pb_start_begin(void);
/* Failures are noted (below). */
void pb_start_arm(void);
/*
 * The opposite: when this returns 0 nothing is armed, no thread is in a handler, and
 * there are no tracers. Errors are those of patchbay_ops_destroy(): nobody enters a
 * handler any more, but somebody may still be in one; call it again.
 */
int pb_start_undo(void);

/* Leave word of a failure: @result is -errno. Others are none. */
void pb_note(int result);

/*
 * Arm the tracer on the functions that @which selects, which excludes none
 * itself, and that are not excluded by notrace=. @flags are PATCHBAY_ARM_*.
 * Returns what patchbay_arm_filter() does.
 */
int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags);
/*
 * Disarm it on what any of @nr filters selects, and forget equal ones that are
 * for modules to come: all of them or none. Returns what
 * patchbay_batch_commit() does.
 */
int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr);

/*
 * Where @which selects functions on which it is armed, it and that of args= come behind
 * all tracers that are there by now.
 */
void pb_tracer_arm_again(const struct patchbay_filter *which);

/* -EOPNOTSUPP: the tracer records no durations. */
int pb_tracer_set_threshold(uint64_t ns);
/* In ticks of the processor's counter, when there is a session of events. */
uint64_t pb_tracer_ticks(uint64_t ns);
/* Whether it records how long each call took. */
int pb_tracer_has_durations(void);

/* On how many functions it and the two below are armed; on each, one of them
 * is. */
uint32_t pb_tracer_armed(void);

/* To disable and enable it. */
extern struct patchbay_ops *pb_tracer;
/* The same of functions with args=; NULL if there are none. */
extern struct patchbay_ops *pb_values_tracer;
/* Likewise, with typed=. */
extern struct patchbay_ops *pb_typed_tracer;

/*
 * 1: record nothing any more; functions stay armed. When this returns 0 no thread is
 * in a handler, and none begins one. 0: go on. Errors are those of
 * patchbay_ops_disable().
 */
int pb_tracer_stop(int stop);

/*
 * The same where no system call may be made, and no other thread changes tracers
 * (core/private.h).
 */
void pb_tracer_pause(int paused);

/* Does it record anything now? */
int pb_tracer_is_recording(void);

#endif /* PB_TRACE_START_H */
