/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of calls that a tracer does not see, because one of its handlers may be running. */
#ifndef PB_CORE_MISSED_CALLS_H
#define PB_CORE_MISSED_CALLS_H

#include <patchbay/patchbay.h>

/* Count one call that the cell's tracer misses. Async-signal-safe. */
void pb_miss(const struct patchbay_cell *cell);

/*
 * Count one missed call for the whole process. The thread may not read a cell: it is
 * counting another missed call, or it has no reader (quiesce.h). Async-signal-safe.
 */
void pb_miss_unseen(void);

#endif /* PB_CORE_MISSED_CALLS_H */
