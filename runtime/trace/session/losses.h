/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The chunk of lost-event counters (struct pbd_losses). The counters are in the mapped data
 * file, so that they survive the process. threads/count_losses.h increments them.
 */
#ifndef PB_TRACE_LOSSES_H
#define PB_TRACE_LOSSES_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/*
 * Count the timed calls that have not returned. begin: start to count. write: write the
 * number at the end of the process. take_back: undo write, because the process continues
 * (exec failed). forget: mark the number as unknown. None of these functions takes a lock.
 */
void pb_losses_begin_returns(void);
void pb_losses_write_returns(void);
void pb_losses_take_back_returns(void);
void pb_losses_forget_returns(void);

/* Record that this process could not make a file. @error is -errno. */
void pb_losses_no_file(int error);

/*
 * Make the chunk in a new file. The caller holds the session's lock. Returns 0 or -errno.
 */
int pb_losses_begin(void);

/*
 * The counters in the file of this process. Until this process has a file: the counters of
 * its nearest ancestor that has a file, which this process has mapped. NULL: no such file.
 */
extern struct pbd_losses *pb_losses_nearest;

/* An address in a mapping of the file that contains *pb_losses_nearest. */
extern const void *pb_losses_held;

/*
 * A switch of files has failed: use @losses, the counters of the previous file, again. The
 * caller holds the session's lock.
 */
void pb_losses_go_back(struct pbd_losses *losses);

/* The recording is over: reset the variables. */
void pb_losses_forget(void);

#endif /* PB_TRACE_LOSSES_H */
