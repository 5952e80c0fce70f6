/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records calls that longjmp(3), _longjmp(), siglongjmp() and their _FORTIFY_SOURCE variants
 * leave, as it records calls that exceptions leave. This library is preloaded, so the program
 * calls these functions instead of the C library's. Jumps within the C library, and a
 * program's own code for jumps, are not seen.
 */
#ifndef PB_TRACE_LONGJMP_H
#define PB_TRACE_LONGJMP_H

/* Begin to record jumps. Call this once, while the process has one thread. */
void pb_longjmp_start(void);

#endif /* PB_TRACE_LONGJMP_H */
