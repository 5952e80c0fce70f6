/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls functions that need more stack than a thread of the program may have left: the demangler
 * recurses as deeply as a name nests, and fnmatch(3) converts strings on its stack.
 */
#ifndef PB_TRACE_OWN_STACK_H
#define PB_TRACE_OWN_STACK_H

/*
 * Call @call with @arg, on a stack from pb_malloc(). Blocks signals during the call,
 * because a signal handler that scans the stacks of threads (a garbage collector) would not
 * know this stack. Returns 0 or -ENOMEM.
 */
int pb_on_own_stack(void (*call)(void *arg), void *arg);

#endif /* PB_TRACE_OWN_STACK_H */
