/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes that end without running destructors: _exit(2), quick_exit(3),
 * exec(3). This library then writes most data that its destructor writes
 * (constructor.c): the number of calls without a return, and sites changed by other
 * code. It omits what needs memory or a long wait. A signal that kills the
 * process leaves no time for it.
 */
#ifndef PB_TRACE_EXIT_H
#define PB_TRACE_EXIT_H

/*
 * Call before the program ends. Returns 0 if it wrote nothing: a child of
 * vfork(2) shares its parent's memory, and in a sandbox it makes no system
 * call. Async-signal-safe.
 */
int pb_ending_write(void);

/* Call if exec(3) failed and pb_ending_write() had returned a nonzero value. */
void pb_ending_take_back(void);

#endif /* PB_TRACE_EXIT_H */
