/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finishes and removes the files of a rotation: see rotate.h. */
#ifndef PB_TRACE_ROTATE_FILES_H
#define PB_TRACE_ROTATE_FILES_H

/* The listening thread calls it. Returns the ms until the next call is due, or -1. */
int pb_rotate_look(void);
/* The recording is over, and no handler is running: the last file is complete, too. */
void pb_rotate_end(void);
/*
 * The process ends, and no other process may be left to finish its files. The
 * last file also gets events from later destructors of other libraries.
 */
void pb_rotate_exit(void);

#endif /* PB_TRACE_ROTATE_FILES_H */
