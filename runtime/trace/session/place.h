/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records where this process runs (struct pbd_place): a reader may be on
 * another machine, and another container may use the same pids.
 */
#ifndef PB_TRACE_PLACE_H
#define PB_TRACE_PLACE_H

/*
 * Call for a file that was just made, with the session's lock held. Returns 0
 * or -errno.
 */
int pb_place_write(void);

#endif /* PB_TRACE_PLACE_H */
