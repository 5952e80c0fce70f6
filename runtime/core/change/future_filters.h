/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filters that also hold for modules to come (PATCHBAY_ARM_FUTURE). */
#ifndef PB_CORE_FUTURE_FILTERS_H
#define PB_CORE_FUTURE_FILTERS_H

#include "change/plan.h"

/* All of them, in the order in which they were given. */
extern struct pb_filter *pb_future;

/*
 * What @requests ask for is kept, or forgotten. Under the engine lock, before
 * anybody is waited for: modules come meanwhile. What was forgotten is for
 * pb_future_free(), without that lock.
 */
void pb_future_update(struct pb_request *requests, struct pb_filter **forgotten);
void pb_future_free(struct pb_filter *forgotten);

#endif /* PB_CORE_FUTURE_FILTERS_H */
