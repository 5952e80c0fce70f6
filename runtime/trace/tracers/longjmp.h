/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records calls that longjmp(3), _longjmp(), siglongjmp() and their
 * _FORTIFY_SOURCE variants leave, like calls that exceptions leave. This
 * library is preloaded, so its functions come before the C library's. Jumps
 * inside of the C library, and programs with jump code of their own, are not
 * seen.
 */
#ifndef PB_TRACE_LONGJMP_H
#define PB_TRACE_LONGJMP_H

/* Start now. Call it once, while the process has one thread. */
void pb_longjmp_start(void);

#endif /* PB_TRACE_LONGJMP_H */
