/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stacks of the listening thread. The permanent stack is small, because it counts against
 * RLIMIT_DATA and RLIMIT_AS, and because mlockall(2) makes it resident.
 */
#ifndef PB_TRACE_STACK_H
#define PB_TRACE_STACK_H

#include <pthread.h>

/* Make the stack of a new thread small. */
void pb_stack_describe(pthread_attr_t *attr);

/*
 * Call @call with @arg on a temporary stack of nearly 1 MB with a guard area. The calling
 * thread must block all signals, because a signal handler that scans the stacks of threads
 * (a garbage collector) would not know this stack. Returns 0, or -errno if there is no
 * memory.
 */
int pb_on_large_stack(void (*call)(void *arg), void *arg);

#endif /* PB_TRACE_STACK_H */
