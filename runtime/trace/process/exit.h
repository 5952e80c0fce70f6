/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes that end without running destructors: _exit(2), quick_exit(3), exec(3).
 * This library then writes most of the data that its destructor (constructor.c)
 * writes: the number of calls without a return, and sites changed by other code. It
 * omits data that needs memory or a long wait. If a signal kills the process, none
 * of this is written.
 */
#ifndef PB_TRACE_EXIT_H
#define PB_TRACE_EXIT_H

/*
 * Call before the program ends. Returns 0 if it wrote nothing: in a child
 * of vfork(2), which shares its parent's memory, and in a sandbox, where it
 * must make no system call. Async-signal-safe.
 */
int pb_ending_write(void);

/* Call if exec(3) failed and pb_ending_write() had returned a nonzero value. */
void pb_ending_take_back(void);

#endif /* PB_TRACE_EXIT_H */
