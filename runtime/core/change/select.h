/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the functions of requests: the first half of making a plan. */
#ifndef PB_CORE_SELECT_H
#define PB_CORE_SELECT_H

#include "change/plan.h"

/*
 * Add a target to @plan for each function that each of @requests selects, in all modules
 * or in @only. The targets of one function are adjacent, in the order of the requests.
 * Returns 0, -ENOMEM, -ENOENT if a request does not find the functions that it must find,
 * or an error of reading names.
 */
int pb_select(struct pb_plan *plan, struct pb_request *requests,
	      struct pb_module *only);

/*
 * Call these around the selection. pb_requests_begin() allocates memory, or returns
 * -ENOMEM. pb_requests_check() returns -ENOENT if a request has not found the functions
 * that it must find. pb_requests_end() frees the memory.
 */
int pb_requests_begin(struct pb_request *requests);
int pb_requests_check(const struct pb_request *requests);
void pb_requests_end(struct pb_request *requests);

#endif /* PB_CORE_SELECT_H */
