/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include "session/session.h"

#include <core/system/memory.h>
#include <core/system/sort.h>
#include <core/system/private.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int in_order(const void *left, const void *right)
{
	const uintptr_t a = *(const uintptr_t *)left;
	const uintptr_t b = *(const uintptr_t *)right;

	return a < b ? -1 : a > b;
}

static int grow(void *pointer, size_t *room, size_t needed, size_t size)
{
	void **memory = pointer, *more;
	size_t wanted = *room ? *room : 64;

	while (wanted < needed)
		wanted *= 2;
	if (wanted == *room)
		return 0;
	more = pb_realloc(*memory, wanted * size);
	if (!more)
		return -ENOMEM;
	*memory = more;
	*room = wanted;
	return 0;
}

struct search {
	struct pb_names *found;
	uintptr_t base, *entries; /* entries of the traced functions, sorted */
	size_t nr, text_room, entry_room;
};

static int add_name(uintptr_t entry, const char *name, void *arg)
{
	struct search *search = arg;
	struct pb_names *found = search->found;
	const size_t size = strlen(name) + 1;

	if (!bsearch(&entry, search->entries, search->nr, sizeof(entry),
		     in_order))
		return 0;
	if (grow(&found->text, &search->text_room, found->size + size, 1) ||
	    grow(&found->entry, &search->entry_room, found->nr + 1,
		 sizeof(*found->entry)))
		return -ENOMEM;
	memcpy(found->text + found->size, name, size);
	found->size += size;
	found->entry[found->nr++] = entry - search->base;
	return 0;
}

void pb_names_find(const struct patchbay_module_info *module,
		   const struct patchbay_target *targets, size_t nr,
		   struct pb_names *names)
{
	struct search search = { names, module->base, NULL, nr, 0, 0 };
	int is_sorted = 1;

	memset(names, 0, sizeof(*names));
	if (pb_options.no_names)
		return;
	search.entries = pb_malloc(nr * sizeof(*search.entries));
	if (!search.entries)
		return;
	for (size_t i = 0; i < nr; i++) {
		search.entries[i] = targets[i].entry;
		is_sorted &= !i || targets[i - 1].entry <= targets[i].entry;
	}
	if (!is_sorted)
		pb_sort(search.entries, nr, sizeof(*search.entries), in_order);
	/*
	 * Ignore errors: readers may find names even if this process cannot read the
	 * module's file.
	 */
	pb_private_visit_names(module, add_name, &search);
	pb_free(search.entries);
}

void pb_names_free(struct pb_names *names)
{
	pb_free(names->entry);
	pb_free(names->text);
}

const struct pbd_names *pb_names_write(const struct pb_names *names, uint32_t module)
{
	struct pbd_names *chunk;
	int error;

	if (!names->nr)
		return NULL;
	chunk = pb_data_reserve(&pb_session->file, PBD_NAMES,
				sizeof(*chunk) +
					names->nr * sizeof(chunk->entry[0]) +
					names->size,
				&error);
	if (!chunk)
		return NULL;
	chunk->module = module;
	chunk->nr = (uint32_t)names->nr;
	memcpy(chunk->entry, names->entry, names->nr * sizeof(chunk->entry[0]));
	memcpy(&chunk->entry[names->nr], names->text, names->size);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	return chunk;
}
