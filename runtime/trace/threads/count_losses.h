/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts lost events in the chunk of losses.h. These functions take no lock and make no
 * system call, so handlers may call them anywhere.
 */
#ifndef PB_TRACE_COUNT_LOSSES_H
#define PB_TRACE_COUNT_LOSSES_H

#include "format/format.h"

/*
 * Count a lost event. A forked child that has no file yet counts in its parent's file.
 */
void pb_count_loss(enum pbd_loss why);

/* Converts -errno of a failed reservation to the kind of loss. */
enum pbd_loss pb_loss_of(int error);

/* Count a call whose trace context was invalid or unreadable. */
void pb_count_no_context(void);

#endif /* PB_TRACE_COUNT_LOSSES_H */
