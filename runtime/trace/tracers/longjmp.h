/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls that longjmp(3), _longjmp(), siglongjmp() and their _FORTIFY_SOURCE variants leave
 * are recorded, like calls that exceptions leave. This library is preloaded, so the program
 * calls its wrappers instead of the C library's functions. They do not see jumps within the
 * C library, or by other code.
 */
#ifndef PB_TRACE_LONGJMP_H
#define PB_TRACE_LONGJMP_H

/* Begin to record jumps. Call this once, while the process has one thread. */
void pb_longjmp_start(void);

#endif /* PB_TRACE_LONGJMP_H */
