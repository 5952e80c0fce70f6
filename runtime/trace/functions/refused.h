/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that could not be armed because of their code. */
#ifndef PB_TRACE_REFUSED_H
#define PB_TRACE_REFUSED_H

/*
 * Returns an error for the data file, or 0. -EILSEQ: some functions had unexpected bytes at
 * their sites. -EPROTONOSUPPORT: there are modules of another ABI version. Also counts functions
 * that the program itself tried to arm.
 */
int pb_refused(void);

#endif /* PB_TRACE_REFUSED_H */
