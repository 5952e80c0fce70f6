/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room api/: the public functions of <patchbay/patchbay.h>. They check their arguments,
 * take the caller lock and the change lock, and pass requests to change/. A tracer lives
 * until patchbay_ops_destroy(). Its filters for modules to come live as long.
 *
 * This header has the helpers that several public functions use.
 */
#ifndef PB_CORE_OPS_H
#define PB_CORE_OPS_H

#include "change/plan.h"

/* Take the caller lock and the change lock. -EDEADLK, and nothing taken: this is a handler. */
#define pb_enter_library() pb_enter_library_from(__builtin_frame_address(0))
int pb_enter_library_from(const void *frame);
void pb_leave_library(void);

/* Returns 0, or what is wrong with @filter or @flags, or -ENOMEM. Free request->filter. */
int pb_request_init(struct pb_request *request, struct patchbay_ops *ops,
		    const struct patchbay_filter *filter, unsigned int flags,
		    int disarm);

/* How many functions a list of requests armed and disarmed. */
int pb_request_count(const struct pb_request *requests);

#endif /* PB_CORE_OPS_H */
