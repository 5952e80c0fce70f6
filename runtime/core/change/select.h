/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions requests are about: the first half of a plan. */
#ifndef PB_CORE_SELECT_H
#define PB_CORE_SELECT_H

#include "change/plan.h"

/*
 * Add a target to @plan for each function that each of @requests selects, in all
 * modules or in @only; those of one function follow each other, in the order of
 * the requests. Returns 0, -ENOMEM, -ENOENT where a request has to find more, or
 * an error of reading names.
 */
int pb_select(struct pb_plan *plan, struct pb_request *requests,
	      struct pb_module *only);

/*
 * Around all that selects functions for @requests: memory for what is found, or
 * -ENOMEM; -ENOENT, if they had to find more; and the memory is free again.
 */
int pb_requests_begin(struct pb_request *requests);
int pb_requests_check(const struct pb_request *requests);
void pb_requests_end(struct pb_request *requests);

#endif /* PB_CORE_SELECT_H */
