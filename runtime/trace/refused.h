/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that could not be armed for what they are. */
#ifndef PB_TRACE_REFUSED_H
#define PB_TRACE_REFUSED_H

/*
 * For the data file: -EILSEQ if there are any so far because of the bytes at their
 * sites, -EPROTONOSUPPORT if there are modules of another version of the ABI, else 0.
 * Those are counted, too, that the program itself could not arm.
 */
int pb_refused(void);

#endif /* PB_TRACE_REFUSED_H */
