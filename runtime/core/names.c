/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include "elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
static int order_records(struct pb_module *module)
{
	const struct patchbay_record **order;
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
		module->order = order;
	}
	module->ordered = 1;
	return 0;
}

struct search {
	const struct pb_module *module;
	const struct pb_filter *filter;
	struct pb_choice *choice;
	unsigned char *found;
	size_t next;
	int error;
};

static uintptr_t entry_at(const struct pb_module *module, size_t i)
{
	return pb_record_entry(module->order ? module->order[i] :
					       &module->records[i]);
}

/*
 * The index of the record of the function at @entry, or -1. Symbols are in the
 * order of their functions most of the time: try the next one first.
 */
static ptrdiff_t find_record(struct search *search, uintptr_t entry)
{
	const struct pb_module *module = search->module;
	size_t low = 0, high = module->nr, middle = search->next;

	while (low < high) {
		uintptr_t here;

		if (middle < low || middle >= high)
			middle = low + (high - low) / 2;
		here = entry_at(module, middle);
		if (here == entry) {
			search->next = middle + 1;
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

static void choose(struct search *search, uintptr_t entry, uint32_t item)
{
	ptrdiff_t record = find_record(search, entry);

	if (record < 0)
		return;
	if (search->found)
		search->found[item] = 1;
	pb_choice_add(search->choice, (size_t)record, item);
}

/*
 * Visit the symbols of @module's file, with @arg. Only what has to do with the
 * process, not with the file, is an error: what cannot be read has no names.
 */
static int for_each_symbol(const struct pb_module *module,
			   void (*visit)(const char *, uint64_t, void *),
			   void *arg)
{
	struct pb_elf_file file;
	int error = pb_elf_open(&file, module->file);

	if (error == -ENOENT && !strcmp(module->file, PB_EXE))
		error = pb_elf_open(&file, PB_EXE_OF_THREAD);
	if (!error) {
		if (pb_elf_is(&file, module->phdrs, module->phdrs_size,
			      module->info.build_id,
			      module->info.build_id_size))
			pb_elf_for_each_function(&file, visit, arg);
		error = pb_elf_close(&file);
	}
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		return error;
	return 0;
}

static void match_symbol(const char *name, uint64_t value, void *arg)
{
	struct search *search = arg;
	int item = pb_filter_name(search->filter, name);

	if (item < 0)
		search->error = item;
	else if (item)
		choose(search, search->module->info.base + (uintptr_t)value,
		       (uint32_t)item - 1);
}

static int choose_by_name(struct search *search)
{
	int error = for_each_symbol(search->module, match_symbol, search);

	return search->error ? search->error : error;
}

static void choose_by_addr(struct search *search)
{
	const struct pb_filter *filter = search->filter;

	for (size_t i = 0; i < filter->nr; i++)
		if (filter->items[i].addr >= search->module->low &&
		    filter->items[i].addr < search->module->high)
			choose(search, filter->items[i].addr, (uint32_t)i);
}

static int choose_all(struct pb_module *module, const struct pb_filter *filter,
		      struct pb_choice *choice, unsigned char *found)
{
	struct search search = { module, filter, choice, found, 0, 0 };
	int error;

	if (pb_filter_is_all(filter)) {
		pb_choice_add_all(choice);
		return 0;
	}
	error = order_records(module);
	if (error)
		return error;
	if (filter->by != PB_BY_ADDRS)
		return choose_by_name(&search);
	choose_by_addr(&search);
	return 0;
}

static int new_choice(struct pb_module *module, const struct pb_filter *filter,
		      struct pb_choice *choice, unsigned char *found)
{
	int error = pb_choice_init(choice, module->nr, filter->cookies);

	if (error)
		return error;
	error = choose_all(module, filter, choice, found);
	if (error)
		pb_choice_free(choice);
	return error;
}

int pb_names_choose(struct pb_module *module, const struct pb_filter *filter,
		    struct pb_choice *choice, unsigned char *found)
{
	struct pb_choice hidden;
	int error = new_choice(module, filter, choice, found);

	if (error || !filter->notrace)
		return error;
	error = new_choice(module, filter->notrace, &hidden, NULL);
	if (error) {
		pb_choice_free(choice);
		return error;
	}
	pb_choice_remove(choice, &hidden);
	pb_choice_free(&hidden);
	return 0;
}

struct names {
	struct search search;
	int (*visit)(uintptr_t entry, const char *name, void *arg);
	void *arg;
	int value;
};

static void visit_symbol(const char *name, uint64_t value, void *arg)
{
	struct names *names = arg;
	uintptr_t entry = names->search.module->info.base + (uintptr_t)value;

	if (!names->value && find_record(&names->search, entry) >= 0)
		names->value = names->visit(entry, name, names->arg);
}

int pb_names_visit(struct pb_module *module,
		   int (*visit)(uintptr_t entry, const char *name, void *arg),
		   void *arg)
{
	struct names names = { .search.module = module,
			       .visit = visit,
			       .arg = arg };
	int error = order_records(module);

	if (!error)
		error = for_each_symbol(module, visit_symbol, &names);
	return names.value ? names.value : error;
}
