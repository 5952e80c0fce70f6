/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bulk path: arm or disarm one tracer on many functions, which one filter selects. This
 * is the usual request. It needs one bit of memory per function. Functions of the same shape
 * share a cell. Text is changed in the order of addresses: the library copies a block,
 * changes the sites and slots in the copy, and writes the copy. If the functions also have
 * other tracers, only their cells change (bulk_swap.c).
 *
 * The bulk path writes back the code between the sites, so only some architectures have it
 * (pb_arch_rewrite; arch/<name>/arch_bulk.h has the details). Everything else is done by a
 * plan (plan.h).
 */
#ifndef PB_CORE_BULK_H
#define PB_CORE_BULK_H

#include "change/plan.h"
#include "change/settle.h"

/*
 * The bulk path cannot handle the request: make a plan, which carries it out or finds the
 * error to return. Nothing has changed.
 */
#define PB_NOT_BULK 2

/* Like pb_engine_commit(), for all modules, or for @only. May also return PB_NOT_BULK. */
#if __has_include("arch_bulk.h")
int pb_bulk_commit(struct pb_request *requests, struct pb_module *only,
		   enum pb_wait wait);
#else
#define pb_bulk_commit(requests, only, wait) PB_NOT_BULK
#endif

#endif /* PB_CORE_BULK_H */
