/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Were there functions or modules that could not be armed? */
#ifndef PB_TRACE_REFUSED_H
#define PB_TRACE_REFUSED_H

/*
 * Returns 0, or an error for the data file's header. -EILSEQ: some functions had unexpected
 * bytes at their sites. -EPROTONOSUPPORT: there are modules of another ABI version. Also
 * counts functions that the program itself tried to arm.
 */
int pb_refused(void);

#endif /* PB_TRACE_REFUSED_H */
