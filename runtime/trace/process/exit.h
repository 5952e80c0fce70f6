/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes final data in processes that end without running destructors: _exit(2),
 * quick_exit(3), exec(3). Final data is most of the data that the destructor
 * (constructor.c) writes: the number of calls without a return, and sites changed by other
 * code. Data that needs memory or a long wait is omitted. If a signal kills the process,
 * these functions do not run.
 */
#ifndef PB_TRACE_EXIT_H
#define PB_TRACE_EXIT_H

/*
 * Call this before the program ends. Returns 1 after writing the data. Returns 0 in a child
 * of vfork(2), which shares its parent's memory, and in a sandbox, where system calls are
 * forbidden. Async-signal-safe.
 */
int pb_ending_write(void);

/* Call this if pb_ending_write() has returned 1 and exec(3) has failed. */
void pb_ending_take_back(void);

#endif /* PB_TRACE_EXIT_H */
