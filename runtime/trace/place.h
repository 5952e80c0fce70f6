/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where this process runs is written down (struct pbd_place): a recording may be read on
 * another machine, and its processes may have the numbers of another container's.
 */
#ifndef PB_TRACE_PLACE_H
#define PB_TRACE_PLACE_H

/* With the session's lock held, in the file that was just made. Returns 0 or -errno. */
int pb_place_write(void);

#endif /* PB_TRACE_PLACE_H */
