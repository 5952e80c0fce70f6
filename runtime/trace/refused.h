/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that could not be armed, because of the bytes at their sites. */
#ifndef PB_TRACE_REFUSED_H
#define PB_TRACE_REFUSED_H

/*
 * -EILSEQ if there are any so far, for the data file; else 0. Those are counted,
 * too, that the program itself could not arm.
 */
int pb_refused(void);

#endif /* PB_TRACE_REFUSED_H */
