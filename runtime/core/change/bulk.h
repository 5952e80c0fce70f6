/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bulk path: arm or disarm one tracer on many functions, as programs usually do, on
 * all functions or by a glob. It needs no data for each function but a bit. Functions of
 * the same shape share a cell. Text is changed in the order of addresses: the library
 * copies a block, changes the bytes of its functions in the copy, and writes the copy. If
 * the functions have other tracers, too, only their cells change (bulk_swap.c).
 *
 * The bulk path writes back code between the sites. So it is for architectures that allow
 * this (pb_arch_rewrite; arch/<name>/arch_bulk.h has the details). A plan does everything
 * else (plan.h).
 */
#ifndef PB_CORE_BULK_H
#define PB_CORE_BULK_H

#include "change/plan.h"
#include "change/settle.h"

/*
 * The request is not for the bulk path: a plan does all of it, or finds out why it cannot
 * be done. Nothing has changed.
 */
#define PB_NOT_BULK 2

/* Like pb_engine_commit(), for all modules or for @only. Also returns PB_NOT_BULK. */
#if __has_include("arch_bulk.h")
int pb_bulk_commit(struct pb_request *requests, struct pb_module *only,
		   enum pb_wait wait);
#else
#define pb_bulk_commit(requests, only, wait) PB_NOT_BULK
#endif

#endif /* PB_CORE_BULK_H */
