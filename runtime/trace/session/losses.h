/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts of events that are not recorded, in pages of the data file (format.h,
 * struct pbd_losses). So the counts survive the process. Uses no lock and no
 * system call, and may run wherever a traced function is called.
 */
#ifndef PB_TRACE_LOSSES_H
#define PB_TRACE_LOSSES_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/*
 * Count timed calls without a return. begin: starts to count. write: records their
 * number, at the end. take_back: the process has not ended after all. forget: their
 * number is unknown. None of these takes a lock.
 */
void pb_losses_begin_returns(void);
void pb_losses_write_returns(void);
void pb_losses_take_back_returns(void);
void pb_losses_forget_returns(void);

/* This process could not make a file. @error is -errno. */
void pb_losses_no_file(int error);

/*
 * Make the chunk, in a file that was just made. The caller holds the session's
 * lock. Returns 0 or -errno.
 */
int pb_losses_begin(void);

/*
 * The losses of this process. Without a file, those of its nearest ancestor that
 * has one, which this process has mapped. NULL: neither exists.
 */
extern struct pbd_losses *pb_losses_nearest;

/* An address in a mapping of the file with these losses. */
extern const void *pb_losses_held;

/*
 * Give up the file that was made as the next one, and use @losses again. The
 * caller holds the session's lock.
 */
void pb_losses_go_back(struct pbd_losses *losses);

/* The recording is over: forget its counts. */
void pb_losses_forget(void);

#endif /* PB_TRACE_LOSSES_H */
