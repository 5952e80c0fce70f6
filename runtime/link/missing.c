/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "missing.h"

#include <patchbay/exit.h>

#include <errno.h>

static int refuse(void *arg, const struct patchbay_target *target)
{
	(void)arg;
	(void)target;
	return -ECANCELED;
}

/* Does each of the first @nr items have a function? Returns a negative errno: -ENOENT if not. */
static int try(struct patchbay_ops *ops, const struct patchbay_filter *filter,
	       size_t nr)
{
	const struct patchbay_filter part = { .size = sizeof(part),
					      .syms = filter->syms,
					      .addrs = filter->addrs,
					      .cnt = nr };

	return patchbay_arm_filter(ops, &part, 0);
}

/*
 * Find the first missing item, by arming a tracer that refuses all functions. Nothing changes:
 * the library reports a missing item before it asks the tracer. The search halves the list,
 * because each try looks up all items of its part.
 */
static size_t search(struct patchbay_ops *ops,
		     const struct patchbay_filter *filter)
{
	size_t good = 0, bad = filter->cnt;

	if (try(ops, filter, bad) != -ENOENT)
		return filter->cnt;
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		if (try(ops, filter, middle) == -ENOENT)
			bad = middle;
		else
			good = middle;
	}
	return good;
}

size_t pb_find_missing(const struct patchbay_filter *filter)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = patchbay_no_exit,
						.check = refuse };
	struct patchbay_ops *ops;
	size_t index;

	if (patchbay_ops_create(&attr, &ops))
		return filter->cnt;
	index = search(ops, filter);
	patchbay_ops_destroy(ops);
	return index;
}
