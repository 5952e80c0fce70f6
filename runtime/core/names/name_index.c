/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/name_index.h"

#include "names/filter.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/sort.h"

#include <patchbay/names.h>

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

/* Are the records equal? If only the entries are, arming refuses the record with a wrong site. */
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
	/* Under the engine lock, so that a forked child sees all three changes or none. */
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
			return record_at(module->records, module->order, middle) -
			       module->records;
		}
		if (here < entry)
			low = middle + 1;
		else
			high = middle;
		middle = high;
	}
	return -1;
}

/* The state of reading an index. @next: the hint of pb_record_find(). */
struct reader {
	const struct pb_module *module;
	struct pb_name_index *index;
	size_t room, text_size, text_room, next;
	int rewritten, error;
};

static void add_name(struct reader *reader, const char *name, size_t length,
		     uint32_t record)
{
	struct pb_name_index *index = reader->index;
	const size_t end = reader->text_size + length + 1;

	if (end > UINT32_MAX ||
	    pb_grow(&index->names, &reader->room, index->nr + 1, sizeof(*index->names)) ||
	    pb_grow(&index->text, &reader->text_room, end, 1)) {
		reader->error = -ENOMEM;
		return;
	}
	index->names[index->nr++] = (struct pb_name){
		.record = record,
		.text = (uint32_t)reader->text_size,
	};
	memcpy(index->text + reader->text_size, name, length);
	reader->text_size += length;
	index->text[reader->text_size++] = '\0';
}

static void add_symbol(const char *name, uint64_t value, void *arg)
{
	struct reader *reader = arg;
	const uintptr_t base = reader->module->info.base;
	ptrdiff_t record = pb_record_find(reader->module,
					  base + (uintptr_t)value,
					  &reader->next);
	const char *unique;
	size_t length, source;

	if (record < 0)
		return;
	length = strlen(name);
	/*
	 * llvm-bolt replaces the old entry of a moved function by a jump, whose symbol has this
	 * suffix. The function's record still points to the old entry.
	 */
	if (reader->rewritten && patchbay_drop_suffix(name, length, ".org.", 1) != length)
		return;
	add_name(reader, name, length, (uint32_t)record);
	source = patchbay_source_name_length(name, length);
	if (source != length)
		add_name(reader, name, source,
			 (uint32_t)record | PB_NAME_SHORTENED);
	unique = patchbay_unique_name(name, length, &source);
	if (unique)
		add_name(reader, unique, source,
			 (uint32_t)record | PB_NAME_SHORTENED);
	if (reader->rewritten)
		reader->index->here[record / 64] |= UINT64_C(1) << record % 64;
}

/* Insert the names from the last to the first, so that each list is in the order of names. */
static int make_lists(struct pb_name_index *index)
{
	size_t nr = 1;

	while (nr < index->nr)
		nr *= 2;
	index->heads = pb_malloc(nr * sizeof(*index->heads));
	if (!index->heads)
		return -ENOMEM;
	memset(index->heads, 0xff, nr * sizeof(*index->heads));
	index->mask = (uint32_t)nr - 1;
	for (size_t i = index->nr; i-- > 0;) {
		struct pb_name *name = &index->names[i];
		uint32_t *head = &index->heads[pb_name_hash(index->text +
							    name->text) &
					       index->mask];

		name->next = *head;
		*head = (uint32_t)i;
	}
	return 0;
}

struct pb_name_index *pb_name_index_read(const struct pb_module *module,
					 struct pb_elf_file *file, int rewritten,
					 int *error)
{
	struct reader reader = { .module = module, .rewritten = rewritten };
	int whole = 0;

	/* The index of a record must leave the bit PB_NAME_SHORTENED free. */
	if (module->nr < PB_NAME_SHORTENED)
		reader.index = pb_calloc(1, sizeof(*reader.index));
	*error = -ENOMEM;
	if (!reader.index)
		return NULL;
	if (rewritten) {
		reader.index->here = pb_calloc((module->nr + 63) / 64,
					       sizeof(*reader.index->here));
		reader.error = reader.index->here ? 0 : -ENOMEM;
	}
	if (!reader.error)
		whole = pb_elf_for_each_function(file, add_symbol, &reader);
	if (!reader.error && whole)
		reader.error = make_lists(reader.index);
	*error = reader.error;
	if (reader.error || !whole) {
		pb_name_index_free(reader.index);
		return NULL;
	}
	return reader.index;
}

void pb_name_index_free(struct pb_name_index *index)
{
	if (!index)
		return;
	pb_free(index->names);
	pb_free(index->text);
	pb_free(index->heads);
	pb_free(index->here);
	pb_free(index);
}
