/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include "elf_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int by_entry(const void *a, const void *b)
{
	uintptr_t left = pb_record_entry(*(const struct patchbay_record **)a);
	uintptr_t right = pb_record_entry(*(const struct patchbay_record **)b);

	return (left > right) - (left < right);
}

/* All records, sorted by entry. Linkers leave them so most of the time. */
static const struct patchbay_record **sort_records(const struct pb_module *module)
{
	const struct patchbay_record **all;
	int sorted = 1;

	all = malloc((module->nr + 1) * sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < module->nr; i++) {
		all[i] = &module->records[i];
		sorted &= !i || by_entry(&all[i - 1], &all[i]) <= 0;
	}
	if (!sorted)
		qsort(all, module->nr, sizeof(*all), by_entry);
	return all;
}

struct match {
	const char *glob;
	uintptr_t base;
	const struct patchbay_record **records;
	size_t nr;
	unsigned char *chosen;
};

static void match_symbol(const char *name, uint64_t value, void *arg)
{
	struct match *match = arg;
	uintptr_t entry = match->base + (uintptr_t)value;
	size_t low = 0, high = match->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pb_record_entry(match->records[middle]) < entry)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < match->nr && pb_record_entry(match->records[low]) == entry &&
	    !match->chosen[low] && !fnmatch(match->glob, name, 0))
		match->chosen[low] = 1;
}

int pb_names_match(const struct pb_module *module, const char *glob,
		   const struct patchbay_record ***records, size_t *nr)
{
	struct match match = { .glob = glob, .base = module->info.base };
	struct pb_elf_file file;
	int error;

	*nr = 0;
	match.nr = module->nr;
	match.records = sort_records(module);
	if (!match.records)
		return -ENOMEM;
	*records = match.records;
	if (!strcmp(glob, "*")) {
		*nr = match.nr;
		return 0;
	}
	match.chosen = calloc(match.nr + 1, 1);
	if (!match.chosen) {
		free(match.records);
		return -ENOMEM;
	}
	error = pb_elf_open(&file, module->file);
	if (!error) {
		if (pb_elf_is(&file, module->phdrs, module->phdrs_size,
			      module->info.build_id,
			      module->info.build_id_size))
			pb_elf_for_each_function(&file, match_symbol, &match);
		pb_elf_close(&file);
	} else if (error == -EMFILE || error == -ENFILE || error == -ENOMEM) {
		/* Not the file's fault: there may be names. */
		free(match.chosen);
		free(match.records);
		return error;
	}
	for (size_t i = 0; i < match.nr; i++)
		if (match.chosen[i])
			match.records[(*nr)++] = match.records[i];
	free(match.chosen);
	return 0;
}
