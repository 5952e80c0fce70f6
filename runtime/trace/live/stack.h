/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stack of the listening thread. It counts in the program's RLIMIT_DATA and
 * RLIMIT_AS, and in its resident memory after mlockall(2), so it starts small.
 */
#ifndef PB_TRACE_STACK_H
#define PB_TRACE_STACK_H

#include <pthread.h>

/*
 * Make the stack of a new thread small. The thread must call pb_stack_grow() when it
 * needs more.
 */
void pb_stack_describe(pthread_attr_t *attr);

/* Give the calling thread nearly 1 MB of stack, once. Returns 0 or -errno. */
int pb_stack_grow(void);

/*
 * Call it at the end of the thread: the C library may give its stack, with the guard
 * area, to another thread.
 */
void pb_stack_shrink(void);

#endif /* PB_TRACE_STACK_H */
