/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with under=GLOB record the calls that a thread makes beneath a call
 * of a matching function, a *root*. They also record the root's own calls.
 *
 * Roots have their own tracer. It runs before the recording tracer, and stores
 * the frame of the outermost root in a variable of the thread. Calls beneath it
 * have lower frames. So other calls cost one comparison, and no exit where the
 * architecture supports that. If longjmp() leaves a root, the next call above
 * it ends the root.
 */
#ifndef PB_TRACE_UNDER_H
#define PB_TRACE_UNDER_H

#include <patchbay/patchbay.h>

/* The tracer of most functions, or that of functions with args= or typed=. */
enum pb_under_of {
	PB_UNDER_PLAIN,
	PB_UNDER_VALUES,
	PB_UNDER_TYPED,
	PB_UNDER_TRACERS
};

/*
 * Returns @attr with handlers that run only beneath roots, or unchanged if
 * under= names none. Call it once for each tracer of a recording, before
 * creating it.
 */
struct patchbay_ops_attr pb_under_attr(enum pb_under_of of,
				       const struct patchbay_ops_attr *attr);

/*
 * Arm roots, also in later modules. Call before creating tracers. Returns 0 or
 * -errno.
 */
int pb_under_begin(void);
/* Undo it, when nothing is recorded any more. */
int pb_under_undo(void);

/*
 * Needs the tracers. From now on record beneath the functions that @which
 * selects in loaded modules; with @also, beneath the former roots, too. Calls
 * that have begun before are no roots. NULL: record everywhere. Returns the
 * number of selected functions, or an error of patchbay_arm_filter(). On error
 * nothing has changed.
 */
int pb_under_set(const struct patchbay_filter *which, int also);

/* The number of root functions; 0: calls are recorded everywhere. */
uint32_t pb_under_roots(void);

/* Does this thread have an open root, or are calls recorded everywhere? */
int pb_under_is_open(void);

/* From under.c for roots.c: the state that handlers use. Era 0: record everywhere. */
void pb_under_exchange(uint64_t new_era);
uint64_t pb_under_era(void);
struct patchbay_ops_attr *pb_under_beneath(enum pb_under_of of);

#define PB_UNDER_HANDLER(name)                                                 \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell,                            \
		  struct patchbay_regs *regs)
PB_UNDER_HANDLER(pb_root_entry);
PB_UNDER_HANDLER(pb_root_exit);
PB_UNDER_HANDLER(pb_under_entry);
PB_UNDER_HANDLER(pb_under_exit);
PB_UNDER_HANDLER(pb_under_timed_exit);
PB_UNDER_HANDLER(pb_under_values_entry);
PB_UNDER_HANDLER(pb_under_values_exit);
PB_UNDER_HANDLER(pb_under_values_timed_exit);
PB_UNDER_HANDLER(pb_under_typed_entry);
PB_UNDER_HANDLER(pb_under_typed_exit);

#endif /* PB_TRACE_UNDER_H */
