/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that were selected for a tracer with an exit handler, but cannot have one
 * (<patchbay/filter.h>, -EOPNOTSUPP). The file lists these functions, so that users know
 * why calls are missing.
 */
#ifndef PB_TRACE_LEFT_OUT_H
#define PB_TRACE_LEFT_OUT_H

#include <patchbay/patchbay.h>

/* The @check of tracers with an exit handler. */
int pb_left_out_check(void *arg, const struct patchbay_target *target);

/* Add a function that was disarmed. @flags: PBD_LEFT_OUT_*. */
void pb_left_out_add(uint64_t address, uint32_t flags);

/* Write the functions that are not in the file yet. */
void pb_left_out_write(void);

/* Like pb_left_out_write(), but without modules. The caller holds the session's lock. */
void pb_left_out_write_locked(void);

/* The recording is over: clear the list. The caller holds the session's lock. */
void pb_left_out_forget(void);

#endif /* PB_TRACE_LEFT_OUT_H */
