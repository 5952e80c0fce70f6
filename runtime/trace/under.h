/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with under=GLOB: of the calls that a thread makes those are recorded that are
 * beneath a call of one of these functions, the *roots*, and these calls themselves.
 *
 * Roots have a tracer of their own, which comes before the one that records, and leaves
 * in the thread where the frame of the outermost root is. What is beneath has lower
 * frames. So a call that is not costs a look at that, and no exit, where that can be
 * had; and a root that longjmp() left without a word is over for what is above it.
 */
#ifndef PB_TRACE_UNDER_H
#define PB_TRACE_UNDER_H

#include <patchbay/patchbay.h>

/* Of which tracer: that of most functions, or that of functions with args= or typed=. */
enum pb_under_of {
	PB_UNDER_PLAIN,
	PB_UNDER_VALUES,
	PB_UNDER_TYPED,
	PB_UNDER_TRACERS
};

/*
 * @attr, whose handlers are called beneath roots only if under= names any; else as it
 * is. To be called once for each tracer of a recording, before it is created.
 */
struct patchbay_ops_attr pb_under_attr(enum pb_under_of of,
				       const struct patchbay_ops_attr *attr);

/* Arm roots, in modules that come, too. Before the tracers. Returns 0 or -errno. */
int pb_under_begin(void);
/* The opposite, when nothing is recorded any more. */
int pb_under_undo(void);

/*
 * Not before the tracers are there: from now on record beneath the functions that
 * @which selects in the modules that are loaded; with @also, beneath those of before,
 * too. Calls that have begun by then are no roots. NULL: record everywhere. Returns how
 * many functions those are, or what patchbay_arm_filter() does, and nothing changed.
 */
int pb_under_set(const struct patchbay_filter *which, int also);

/* How many functions are roots; 0: recorded is everywhere. */
uint32_t pb_under_roots(void);

/* Has this thread an open root? Or is recorded everywhere. */
int pb_under_is_open(void);

/* No call of a root has begun yet, in this process. */
extern int pb_under_waiting;

/* under.c for roots.c: what handlers go by. An era of 0: record everywhere. */
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
