/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that a tracer does not see, because it might be running. */
#ifndef PB_CORE_MISSED_CALLS_H
#define PB_CORE_MISSED_CALLS_H

#include <patchbay/patchbay.h>

/* One call of the function, by the cell's tracer. Async-signal-safe. */
void pb_miss(const struct patchbay_cell *cell);

/*
 * One call that nothing may be read for: the thread is being counted another one for, or
 * has no reader (quiesce.h). It is counted for the whole process. Async-signal-safe.
 */
void pb_miss_unseen(void);

#endif /* PB_CORE_MISSED_CALLS_H */
