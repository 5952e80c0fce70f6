/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules of which nothing can be traced (format.h, struct pbd_other): they are written
 * down, so that nobody looks for their calls in vain.
 */
#ifndef PB_TRACE_OTHERS_H
#define PB_TRACE_OTHERS_H

/* Write down those that are not yet. Without the session's lock. */
void pb_others_write(void);

/*
 * In another file of this process, or that of a child, which can be read on its own. One
 * that is there twice is read as one. With the lock; async-signal-safe.
 */
int pb_others_copy(void);

/* The recording is over: of the next one none is written down yet. With the lock. */
void pb_others_forget(void);

#endif /* PB_TRACE_OTHERS_H */
