/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that a tracer with an exit handler was to be armed on, and that
 * cannot have one: <patchbay/filter.h>, -EOPNOTSUPP. They are written down, so
 * that nobody looks for their calls in vain.
 */
#ifndef PB_TRACE_LEFT_OUT_H
#define PB_TRACE_LEFT_OUT_H

#include <patchbay/patchbay.h>

/* A tracer's @check. */
int pb_left_out_check(void *arg, const struct patchbay_target *target);

/* One that was armed, and is so no more; @flags: PBD_LEFT_OUT_*. */
void pb_left_out_add(uint64_t address, uint32_t flags);

/* Write down those that are not yet. */
void pb_left_out_write(void);

/* The same, with the session's lock held. */
void pb_left_out_write_locked(void);

/* The recording is over: nothing is left out of the next one yet. With the lock. */
void pb_left_out_forget(void);

#endif /* PB_TRACE_LEFT_OUT_H */
