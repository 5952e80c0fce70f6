/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer api/: the public functions of <patchbay/patchbay.h>. They check their arguments,
 * take the caller lock and the change lock, and pass requests to change/. A tracer, and its
 * filters for future modules, live until patchbay_ops_destroy().
 *
 * This header has the helpers that several public functions use.
 */
#pragma once

#include "change/plan.h"

/*
 * Take the caller lock and the change lock. Returns 0; -EDEADLK in a handler; or an error of
 * pb_caller_lock(). On error neither lock is held.
 */
#define pb_enter_library() pb_enter_library_from(__builtin_frame_address(0))
int pb_enter_library_from(const void *frame);
void pb_leave_library(void);

/*
 * Fill in @request. Returns 0, -EINVAL or another error for a bad @filter or @flags, or
 * -ENOMEM. The caller frees request->filter by pb_filter_free().
 */
int pb_request_init(struct pb_request *request, struct patchbay_ops *ops,
		    const struct patchbay_filter *filter, unsigned int flags,
		    int disarm);

/* The number of functions that a list of requests has armed and disarmed. */
int pb_request_count(const struct pb_request *requests);
