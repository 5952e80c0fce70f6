/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts lost events in the chunk of losses.h. Takes no lock and makes no system call, so it
 * may run wherever a traced function is called.
 */
#ifndef PB_TRACE_COUNT_LOSSES_H
#define PB_TRACE_COUNT_LOSSES_H

#include "format/format.h"

/*
 * Count a lost event. A forked child that has no file yet counts in its parent's file.
 */
void pb_count_loss(enum pbd_loss why);

/* Returns the kind of loss if getting space fails with this -errno. */
enum pbd_loss pb_loss_of(int error);

/* Count a call whose trace context was invalid or unreadable. */
void pb_count_no_context(void);

#endif /* PB_TRACE_COUNT_LOSSES_H */
