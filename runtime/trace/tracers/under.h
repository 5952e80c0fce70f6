/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With under=GLOB, tracers record the calls that a thread makes beneath a call of a matching
 * function, a *root*, and the root's own calls.
 *
 * Roots have their own tracer. Its handler runs before the recording tracer's, and stores
 * the frame of the outermost root in a thread-local variable. Calls beneath the root have
 * lower frames. So for other calls the recording tracer only makes a comparison, and needs
 * no exit if the architecture supports that. If longjmp() leaves a root, the next root with
 * a higher frame replaces it.
 */
#ifndef PB_TRACE_UNDER_H
#define PB_TRACE_UNDER_H

#include "session/recording.h"
#include "tracers.h"

/*
 * Returns @attr with handlers that run only beneath roots; without under=, returns it
 * unchanged. Call this once for each tracer of a recording, before creating the tracer.
 */
struct patchbay_ops_attr pb_under_attr(enum pb_tracer_of of,
				       const struct patchbay_ops_attr *attr);

/*
 * Arm the roots, also in modules that are loaded later. Call this before creating tracers.
 * Returns 0 or -errno.
 */
int pb_under_begin(void);
/* Undo pb_under_begin(), when the other tracers are destroyed. */
int pb_under_undo(void);

/*
 * From now on record beneath the functions that @which selects in loaded modules and, with
 * @also, beneath the present roots. Calls that have already begun are no roots. If @which
 * is NULL, record everywhere. The tracers must exist. Returns the number of selected
 * functions, or an error of patchbay_arm_filter(). On error nothing has changed.
 */
int pb_under_set(const struct patchbay_filter *which, int also);

/* The number of root functions; 0: calls are recorded everywhere. */
uint32_t pb_under_roots(void);

/* The state that handlers use, for roots.c. Era 0: record everywhere. */
void pb_under_exchange(uint64_t new_era);
uint64_t pb_under_era(void);
struct patchbay_ops_attr *pb_under_beneath(enum pb_tracer_of of);

PB_HANDLER(pb_root_entry);
PB_HANDLER(pb_root_exit);
PB_HANDLER(pb_under_entry);
PB_HANDLER(pb_under_exit);
PB_HANDLER(pb_under_timed_exit);
PB_HANDLER(pb_under_values_entry);
PB_HANDLER(pb_under_values_exit);
PB_HANDLER(pb_under_values_timed_exit);
PB_HANDLER(pb_under_typed_entry);
PB_HANDLER(pb_under_typed_exit);

#endif /* PB_TRACE_UNDER_H */
