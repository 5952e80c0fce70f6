/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records on which machine and in which container this process runs (struct
 * pbd_place), since a reader may be elsewhere, and another container may use
 * the same pids.
 */
#ifndef PB_TRACE_PLACE_H
#define PB_TRACE_PLACE_H

/*
 * Call for a file that was just made, with the session's lock held. Returns 0
 * or -errno.
 */
int pb_place_write(void);

#endif /* PB_TRACE_PLACE_H */
