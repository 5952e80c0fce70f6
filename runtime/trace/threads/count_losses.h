/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts lost events in the chunk of losses.h. Uses no lock and no system call,
 * and may run wherever a traced function is called.
 */
#ifndef PB_TRACE_COUNT_LOSSES_H
#define PB_TRACE_COUNT_LOSSES_H

#include "format/format.h"

/*
 * Count a lost event. A forked child without a file counts in the file of the
 * process it comes from.
 */
void pb_count_loss(enum pbd_loss why);

/* The loss that failing to get room with this -errno causes. */
enum pbd_loss pb_loss_of(int error);

/* Count a call whose trace context was invalid, or could not be read. */
void pb_count_no_context(void);

#endif /* PB_TRACE_COUNT_LOSSES_H */
