/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/plan.h"

#include "types/tracer.h"

struct pb_filter *pb_future;
static struct pb_filter **end = &pb_future;

static void unlink_filter(struct pb_filter *filter)
{
	*filter->link = filter->next;
	if (filter->next)
		filter->next->link = filter->link;
	else
		end = filter->link;
}

/* Walks the filters of this tracer only: there may be thousands of others. */
static void forget(const struct pb_request *request, struct pb_filter **forgotten)
{
	struct pb_filter **same = &request->ops->future, *filter;

	while ((filter = *same)) {
		if (!request->all && !pb_filter_equal(filter, request->filter)) {
			same = &filter->same;
			continue;
		}
		*same = filter->same;
		unlink_filter(filter);
		filter->next = *forgotten;
		*forgotten = filter;
	}
}

static void keep(struct pb_request *request)
{
	struct pb_filter *filter = request->filter;

	request->fresh = 0;
	filter->users++;
	filter->flags = request->flags;
	filter->ops = request->ops;
	filter->same = request->ops->future;
	request->ops->future = filter;
	filter->next = NULL;
	filter->link = end;
	*end = filter;
	end = &filter->next;
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
