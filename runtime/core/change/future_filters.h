/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filters that also hold for modules to come (PATCHBAY_ARM_FUTURE). */
#ifndef PB_CORE_FUTURE_FILTERS_H
#define PB_CORE_FUTURE_FILTERS_H

#include "change/plan.h"

/* All such filters, in the order in which they were given. */
extern struct pb_filter *pb_future;

/*
 * Add or remove filters as @requests say. Call it under the engine lock, and before a wait:
 * modules may be loaded meanwhile. Pass @forgotten to pb_future_free() later, without that
 * lock.
 */
void pb_future_update(struct pb_request *requests, struct pb_filter **forgotten);
void pb_future_free(struct pb_filter *forgotten);

#endif /* PB_CORE_FUTURE_FILTERS_H */
