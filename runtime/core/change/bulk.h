/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One tracer for many functions, or from many: what programs do most, all functions
 * or what a glob says. There is nothing to be worked out for each function then. Which
 * they are is a bit for each, their cells are shared, one for each shape, and text is
 * changed where it is, in the order of addresses: a block is copied, its functions'
 * bytes are changed in the copy, and the copy is written. Where functions have other
 * tracers, too, it is their cells alone that are changed (bulk_swap.h).
 *
 * That writes code back which is not ours, so it is for architectures that allow
 * it (pb_arch_rewrite, whose arch/<name>/arch_bulk.h says what is written). All else goes by way of a plan (plan.h).
 */
#ifndef PB_CORE_BULK_H
#define PB_CORE_BULK_H

#include "change/plan.h"
#include "change/settle.h"

/* Nothing was done: this is not for us. */
#define PB_NOT_BULK 2

/*
 * As pb_engine_commit(), of modules or of @only, and PB_UNSETTLED as pb_plan(); or
 * PB_NOT_BULK.
 */
int pb_bulk_commit(struct pb_request *requests, struct pb_module *only,
		   enum pb_wait wait);

#endif /* PB_CORE_BULK_H */
