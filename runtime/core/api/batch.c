/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches: requests that wait until they are committed together. */
#include "api/ops.h"
#include "change/engine.h"
#include "system/memory.h"

#include <errno.h>

struct patchbay_batch {
	struct pb_request *requests, **end;
};

int patchbay_batch_create(struct patchbay_batch **batch)
{
	struct patchbay_batch *new = pb_calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->end = &new->requests;
	*batch = new;
	return 0;
}

static void drop_requests(struct patchbay_batch *batch)
{
	struct pb_request *next;

	for (struct pb_request *r = batch->requests; r; r = next) {
		next = r->next;
		pb_filter_free(r->filter);
		pb_free(r);
	}
	batch->requests = NULL;
	batch->end = &batch->requests;
}

void patchbay_batch_destroy(struct patchbay_batch *batch)
{
	if (batch)
		drop_requests(batch);
	pb_free(batch);
}

static int add_request(struct patchbay_batch *batch, struct patchbay_ops *ops,
		       const struct patchbay_filter *filter, unsigned int flags,
		       int disarm)
{
	struct pb_request *request = pb_malloc(sizeof(*request));
	int error;

	if (!request)
		return -ENOMEM;
	error = pb_request_init(request, ops, filter, flags, disarm);
	if (error) {
		pb_free(request);
		return error;
	}
	*batch->end = request;
	batch->end = &request->next;
	return 0;
}

int patchbay_batch_arm(struct patchbay_batch *batch, struct patchbay_ops *ops,
		       const struct patchbay_filter *filter,
		       unsigned int flags)
{
	return add_request(batch, ops, filter, flags, 0);
}

int patchbay_batch_disarm(struct patchbay_batch *batch,
			  struct patchbay_ops *ops,
			  const struct patchbay_filter *filter)
{
	return add_request(batch, ops, filter, 0, 1);
}

int patchbay_batch_commit(struct patchbay_batch *batch)
{
	int nr, error = pb_enter_library();

	if (error)
		return error;
	error = pb_engine_commit(batch->requests);
	nr = pb_request_count(batch->requests);
	pb_leave_library();
	if (error)
		return error;
	drop_requests(batch);
	return nr;
}
