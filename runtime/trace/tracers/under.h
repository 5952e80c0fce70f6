/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With under=GLOB, tracers record calls of matching functions (*roots*), and the calls that
 * a thread makes beneath them.
 *
 * Roots have their own tracer. Its handler runs before the recording tracer's handler, and
 * stores the frame of the outermost root in a thread-local variable. Calls beneath the root
 * have lower frames. So for other calls the recording tracer only makes a comparison, and
 * gives up the exit on some architectures. If longjmp() leaves a root, the next root with a
 * higher frame replaces it.
 */
#ifndef PB_TRACE_UNDER_H
#define PB_TRACE_UNDER_H

#include "session/recording.h"
#include "tracers.h"

/*
 * Returns a copy of @attr with handlers that record only beneath roots or, without under=,
 * an unchanged copy. Call this once for each tracer of a recording, before creating the
 * tracer.
 */
struct patchbay_ops_attr pb_under_attr(enum pb_tracer_of of,
				       const struct patchbay_ops_attr *attr);

/*
 * Arm the roots, in present and future modules. Call this before creating tracers. Returns
 * 0 or -errno.
 */
int pb_under_begin(void);
/* Undo pb_under_begin(), when the other tracers are destroyed. */
int pb_under_undo(void);

/*
 * Make the functions that @which selects in loaded modules roots, in addition to the
 * present roots if @also is 1. Calls that have already begun are no roots. If @which is
 * NULL, record everywhere. The tracers must exist. Returns the number of selected
 * functions, or an error of patchbay_arm_filter(). On error nothing has changed.
 */
int pb_under_set(const struct patchbay_filter *which, int also);

/* Returns the number of root functions; 0: calls are recorded everywhere. */
uint32_t pb_under_roots(void);

/* roots.c sets the state of handlers by these functions. Era 0: record everywhere. */
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
