/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The listening thread's part of rotate.h. */
#ifndef PB_TRACE_ROTATE_FILES_H
#define PB_TRACE_ROTATE_FILES_H

/* Returns the ms until the next call is due, or -1. */
int pb_rotate_look(void);
/* The recording is over, and no handler is running. */
void pb_rotate_end(void);

#endif /* PB_TRACE_ROTATE_FILES_H */
