/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting what is not recorded, in pages of the data file (format.h, struct
 * pbd_losses): so the counts are there whatever becomes of the process. Without
 * a lock and without a system call, from wherever a traced function is called.
 */
#ifndef PB_TRACE_LOSSES_H
#define PB_TRACE_LOSSES_H

#include "format.h"

#include <patchbay/patchbay.h>

/*
 * One more. A forked child that has no file, or none yet, counts in that of the
 * process it comes from.
 */
void pb_count_loss(enum pbd_loss why);

/* What is lost if there is no place for it, for this reason, -errno. */
enum pbd_loss pb_loss_of(int error);

/* A call whose trace was not what trace-context= says, or nowhere. */
void pb_count_no_context(void);

/*
 * Timed calls without a return are counted from now on; write down how many there are, at
 * the end; it was not the end; their number cannot be known. Without a lock.
 */
void pb_losses_begin_returns(void);
void pb_losses_write_returns(void);
void pb_losses_take_back_returns(void);
void pb_losses_forget_returns(void);

/* For libpatchbay (core/private.h): this tracer has missed a call. */
void pb_count_missed(const struct patchbay_ops *ops);

/* This process could make no file; @error is -errno. */
void pb_losses_no_file(int error);

/*
 * Make the chunk, in the file that was just made. With the session's lock held.
 * Returns 0 or -errno.
 */
int pb_losses_begin(void);

/*
 * Somewhere in the file of this process or, if it has none, of the nearest one that it
 * descends from, which it has mapped. NULL: there is none.
 */
const void *pb_losses_file(void);

/* The file that was made for the next is none. With the session's lock held. */
void pb_losses_go_back(struct pbd_losses *losses);

/* The recording is over: its counts go. */
void pb_losses_forget(void);

#endif /* PB_TRACE_LOSSES_H */
