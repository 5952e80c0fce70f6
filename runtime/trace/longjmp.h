/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls that longjmp(3), _longjmp(), siglongjmp() and what _FORTIFY_SOURCE makes of
 * them leave are recorded like those that exceptions leave. These functions here are
 * in front of the C library's because this library is preloaded; what the C library
 * itself jumps, and programs with code of their own for it, are not seen.
 */
#ifndef PB_TRACE_LONGJMP_H
#define PB_TRACE_LONGJMP_H

/* From now on. Once, while the process has one thread. */
void pb_longjmp_start(void);

#endif /* PB_TRACE_LONGJMP_H */
