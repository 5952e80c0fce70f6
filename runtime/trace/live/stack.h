/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stacks of the listening thread. Its own one counts in the program's RLIMIT_DATA and
 * RLIMIT_AS, and in its resident memory after mlockall(2), so it is small.
 */
#ifndef PB_TRACE_STACK_H
#define PB_TRACE_STACK_H

#include <pthread.h>

/* Make the stack of a new thread small. */
void pb_stack_describe(pthread_attr_t *attr);

/*
 * Call @call with @arg, on a stack of nearly 1 MB with a guard area, which exists only
 * meanwhile. All signals of the calling thread must be blocked: a handler that scans the
 * stacks of threads would not know this one. Returns 0; or -errno if there is no memory.
 */
int pb_on_large_stack(void (*call)(void *arg), void *arg);

#endif /* PB_TRACE_STACK_H */
