/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a forked child has of its parent: the numbers of functions, and so what
 * explains them. A server forks for each request, and to copy that takes longer than
 * many a request: so the child's file says where it is (struct pbd_parent).
 *
 * All of it is called with the session's lock held, and where sys.h's code may be.
 */
#ifndef PB_TRACE_PARENT_H
#define PB_TRACE_PARENT_H

#include <stddef.h>

/*
 * This process has written down functions, or what was left out, and published them
 * in pb_maps or pb_left_out_maps or is about to: children from now on refer to this
 * file.
 */
void pb_parent_is_self(void);

/* How large the chunk of pb_parent_write() will be; 0: none is needed. */
size_t pb_parent_size(void);

/*
 * Write down what this file refers to, unless that is done, or there is nothing.
 * Returns 0 or -errno.
 */
int pb_parent_write(void);

/*
 * Have all of that in this file, too, so that a copy of it can be read on its own.
 * What of it fitted before there was no more space is not copied again. Returns 0 or
 * -errno.
 */
int pb_parent_copy(void);

/* The recording is over: its file is no more what children begin with. */
void pb_parent_forget(void);

#endif /* PB_TRACE_PARENT_H */
