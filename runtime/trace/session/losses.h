/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts events that are not recorded, in memory of the data file (struct
 * pbd_losses), so that the counts survive the process. Functions that count use no
 * lock and no system call, and may run wherever a traced function is called.
 */
#ifndef PB_TRACE_LOSSES_H
#define PB_TRACE_LOSSES_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/*
 * The number of timed calls without a return. begin: begins to count. write: writes
 * the number, when the process ends. take_back: the process has not ended after
 * all. forget: the number is unknown from now on. None of these takes a lock.
 */
void pb_losses_begin_returns(void);
void pb_losses_write_returns(void);
void pb_losses_take_back_returns(void);
void pb_losses_forget_returns(void);

/* Record that this process could not make a file. @error is -errno. */
void pb_losses_no_file(int error);

/*
 * Make the chunk, in a file that was just made. The caller holds the session's
 * lock. Returns 0 or -errno.
 */
int pb_losses_begin(void);

/*
 * The losses in the file of this process. If it has no file: those in the file of its
 * nearest ancestor with one, which this process has mapped. NULL: there is no such file.
 */
extern struct pbd_losses *pb_losses_nearest;

/* An address in a mapping of the file with @pb_losses_nearest. */
extern const void *pb_losses_held;

/*
 * Use @losses, of the previous file, again: the next file of a rotation was made in
 * vain. The caller holds the session's lock.
 */
void pb_losses_go_back(struct pbd_losses *losses);

/* The recording is over: forget its counts. */
void pb_losses_forget(void);

#endif /* PB_TRACE_LOSSES_H */
