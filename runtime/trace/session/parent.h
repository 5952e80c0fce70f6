/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A forked child inherits the numbers of functions, and its file needs the
 * chunks that explain them. Copying these may take longer than a request in a
 * server that forks for each request. So the child's file only names the file
 * that has them (struct pbd_parent).
 *
 * Callers hold the session's lock. All functions may be called where sys.h's
 * code may.
 */
#ifndef PB_TRACE_PARENT_H
#define PB_TRACE_PARENT_H

#include <stddef.h>

/*
 * Call when this process has written functions or left-out functions, before
 * or after it has added them to pb_maps or pb_left_out_maps. From then on
 * children refer to this file.
 */
void pb_parent_is_self(void);

/* The size of pb_parent_write()'s chunk; 0: it writes none. */
size_t pb_parent_size(void);

/*
 * Write a reference to the file that this one depends on, unless that is done
 * or unnecessary. Returns 0 or -errno.
 */
int pb_parent_write(void);

/*
 * Copy all chunks that explain numbers to this file, so that it can be read
 * without others. If the disk is full, a later call continues with the rest.
 * Returns 0 or -errno.
 */
int pb_parent_copy(void);

/* The recording is over: children do not refer to its file any more. */
void pb_parent_forget(void);

#endif /* PB_TRACE_PARENT_H */
