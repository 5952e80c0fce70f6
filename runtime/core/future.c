/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "future.h"

struct pb_filter *pb_future;

static void forget(const struct pb_request *request, struct pb_filter **forgotten)
{
	struct pb_filter **link = &pb_future, *filter;

	while ((filter = *link)) {
		if (filter->ops != request->ops ||
		    (!request->all &&
		     !pb_filter_equal(filter, request->filter))) {
			link = &filter->next;
			continue;
		}
		*link = filter->next;
		filter->next = *forgotten;
		*forgotten = filter;
	}
}

static void keep(struct pb_request *request)
{
	struct pb_filter **link = &pb_future;

	while (*link)
		link = &(*link)->next;
	*link = request->filter;
	request->fresh = 0;
	request->filter->users++;
	request->filter->flags = request->flags;
	request->filter->ops = request->ops;
}

void pb_future_free(struct pb_filter *forgotten)
{
	struct pb_filter *next;

	for (; forgotten; forgotten = next) {
		next = forgotten->next;
		pb_filter_free(forgotten);
	}
}

void pb_future_update(struct pb_request *requests, struct pb_filter **forgotten)
{
	for (struct pb_request *r = requests; r; r = r->next) {
		if (r->disarm)
			forget(r, forgotten);
		else if (r->flags & PATCHBAY_ARM_FUTURE && r->fresh)
			keep(r);
	}
}
