/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record_order.h"

#include "lock.h"

#include <errno.h>
#include <stdlib.h>

static int by_entry(const void *a, const void *b)
{
	uintptr_t left = pb_record_entry(*(const struct patchbay_record **)a);
	uintptr_t right = pb_record_entry(*(const struct patchbay_record **)b);

	return (left > right) - (left < right);
}

/*
 * Linkers leave records sorted by entry, because they are in link order, most
 * of the time. Found out when it is first needed.
 */
int pb_record_order(struct pb_module *module)
{
	const struct patchbay_record **order = NULL;
	size_t i;

	if (module->ordered)
		return 0;
	for (i = 1; i < module->nr; i++)
		if (pb_record_entry(&module->records[i - 1]) >
		    pb_record_entry(&module->records[i]))
			break;
	if (i < module->nr) {
		order = malloc(module->nr * sizeof(*order));
		if (!order)
			return -ENOMEM;
		for (i = 0; i < module->nr; i++)
			order[i] = &module->records[i];
		qsort(order, module->nr, sizeof(*order), by_entry);
	}
	/* Both or none, also for a forked child. */
	pb_engine_lock();
	module->order = order;
	module->ordered = 1;
	pb_engine_unlock();
	return 0;
}

static uintptr_t entry_at(const struct pb_module *module, size_t i)
{
	return pb_record_entry(module->order ? module->order[i] :
					       &module->records[i]);
}

/* Symbols are in the order of their functions most of the time. */
ptrdiff_t pb_record_find(const struct pb_module *module, uintptr_t entry,
			 size_t *next)
{
	size_t low = 0, high = module->nr, middle = *next;

	while (low < high) {
		uintptr_t here;

		if (middle < low || middle >= high)
			middle = low + (high - low) / 2;
		here = entry_at(module, middle);
		if (here == entry) {
			*next = middle + 1;
			return module->order ?
				       module->order[middle] - module->records :
				       (ptrdiff_t)middle;
		}
		if (here < entry)
			low = middle + 1;
		else
			high = middle;
		middle = high;
	}
	return -1;
}
