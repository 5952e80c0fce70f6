/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/name_index.h"

#include "system/lock.h"
#include "system/memory.h"
#include "system/sort.h"

#include <errno.h>
#include <string.h>

static int by_entry(const void *a, const void *b)
{
	uintptr_t left = pb_record_entry(*(const struct patchbay_record **)a);
	uintptr_t right = pb_record_entry(*(const struct patchbay_record **)b);

	if (left == right) {
		left = (uintptr_t)*(const struct patchbay_record **)a;
		right = (uintptr_t)*(const struct patchbay_record **)b;
	}
	return (left > right) - (left < right);
}

static const struct patchbay_record *record_at(const struct patchbay_record *records,
					       const struct patchbay_record **order,
					       size_t i)
{
	return order ? order[i] : &records[i];
}

/* Are the records equal? If only their entries are, arming refuses the wrong one. */
static int are_twins(const struct patchbay_record *a, const struct patchbay_record *b)
{
	const size_t same = offsetof(struct patchbay_record, signature);

	return pb_record_entry(a) == pb_record_entry(b) &&
	       pb_record_site(a) == pb_record_site(b) &&
	       !memcmp((const char *)a + same, (const char *)b + same,
		       sizeof(*a) - same);
}

/* Mark each record that equals its predecessor in @order. */
static int find_twins(const struct pb_module *module,
		      const struct patchbay_record **order, uint64_t **twins)
{
	const struct patchbay_record *records = module->records;

	*twins = NULL;
	for (size_t i = 1; i < module->nr; i++) {
		const struct patchbay_record *record = record_at(records, order, i);
		const size_t twin = (size_t)(record - records);

		if (!are_twins(record_at(records, order, i - 1), record))
			continue;
		if (!*twins)
			*twins = pb_calloc((module->nr + 63) / 64, sizeof(**twins));
		if (!*twins)
			return -ENOMEM;
		(*twins)[twin / 64] |= UINT64_C(1) << twin % 64;
	}
	return 0;
}

/*
 * Sort the records by entry, unless they are sorted: linkers usually keep them in link order.
 */
int pb_record_order(struct pb_module *module)
{
	const struct patchbay_record **order = NULL;
	uint64_t *twins = NULL;
	uintptr_t before = 0;
	int same = 0;
	size_t i;

	if (module->ordered)
		return 0;
	for (i = 0; i < module->nr; i++) {
		const uintptr_t entry = pb_record_entry(&module->records[i]);

		if (entry < before)
			break;
		same |= entry == before;
		before = entry;
	}
	if (i < module->nr) {
		order = pb_malloc(module->nr * sizeof(*order));
		if (!order)
			return -ENOMEM;
		for (i = 0; i < module->nr; i++)
			order[i] = &module->records[i];
		pb_sort(order, module->nr, sizeof(*order), by_entry);
	}
	if ((order || same) && find_twins(module, order, &twins)) {
		pb_free(order);
		return -ENOMEM;
	}
	/* Under the engine lock, so that a forked child sees all of these or none. */
	pb_engine_lock();
	module->order = order;
	module->twins = twins;
	module->ordered = 1;
	pb_engine_unlock();
	return 0;
}

static uintptr_t entry_at(const struct pb_module *module, size_t i)
{
	return pb_record_entry(record_at(module->records, module->order, i));
}

/* The hint *@next usually hits, because symbols are in the order of their functions. */
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
			while (module->twins && middle &&
			       entry_at(module, middle - 1) == entry)
				middle--;
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
