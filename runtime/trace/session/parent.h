/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A forked child inherits the function numbers, and readers of its file need the chunks
 * that map them to functions. In a server that forks for each request, copying these chunks
 * may take longer than the request. So the child's file only names the file that contains
 * them (struct pbd_parent).
 *
 * Callers hold the session's lock. Handlers may call all functions.
 */
#ifndef PB_TRACE_PARENT_H
#define PB_TRACE_PARENT_H

#include <stddef.h>

/*
 * Call this when the process has written functions or left-out functions, before or after
 * it adds them to pb_maps or pb_left_out_maps. The files of later children name this
 * process's file.
 */
void pb_parent_is_self(void);

/* Returns the size of the chunk that pb_parent_write() writes; 0: none. */
size_t pb_parent_size(void);

/*
 * Write a reference to the file with the inherited function numbers, if necessary and not
 * done yet. Returns 0 or -errno.
 */
int pb_parent_write(void);

/*
 * Copy the inherited chunks to this process's file, so that readers need no other file. If
 * the disk is full, a later call continues with the rest. Returns 0 or -errno.
 */
int pb_parent_copy(void);

/* The recording is over: the files of later children do not name its file. */
void pb_parent_forget(void);

#endif /* PB_TRACE_PARENT_H */
