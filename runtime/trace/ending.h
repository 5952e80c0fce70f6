/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that ends without its destructors: _exit(2), quick_exit(3), exec(3). What the
 * destructor of this library writes down (begin.c) and can be written without allocating
 * memory and without waiting for long is written then: how many calls have no return, and
 * which sites something else has changed. A signal that kills leaves no time for it.
 */
#ifndef PB_TRACE_ENDING_H
#define PB_TRACE_ENDING_H

/*
 * The program is about to end. Returns 0 if nothing was written: a child of vfork(2) has
 * its parent's memory, and in a sandbox no system call is made. Async-signal-safe.
 */
int pb_ending_write(void);

/* If that was not 0: it has not ended, since exec(3) failed. */
void pb_ending_take_back(void);

#endif /* PB_TRACE_ENDING_H */
