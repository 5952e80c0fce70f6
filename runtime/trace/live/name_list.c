/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_list.h"
#include "system/read_file.h"

#include <core/system/memory.h>

#include <errno.h>
#include <string.h>

/* The maximum size: more than the names of all functions of the largest programs. */
#define NAMES_SIZE_MAX (64 << 20)

static int split(struct pb_name_list *list, size_t size)
{
	const char *end = list->text + size;
	size_t nr = 0;

	for (const char *at = list->text; at < end; at += strlen(at) + 1)
		nr++;
	list->names = pb_malloc(nr * sizeof(*list->names));
	if (!list->names)
		return -ENOMEM;
	for (const char *at = list->text; at < end; at += strlen(at) + 1)
		list->names[list->nr++] = at;
	return 0;
}

int pb_name_list_read(struct pb_name_list *list, int file,
		      struct patchbay_filter *filter)
{
	struct pb_name_list new = { 0 };
	size_t size;
	int error = pb_read_file(file, NAMES_SIZE_MAX, &new.text, &size);

	if (error)
		return error;
	error = new.text[size - 1] ? -EINVAL : split(&new, size);
	if (error) {
		pb_name_list_free(&new);
		return error;
	}
	*list = new;
	*filter = (struct patchbay_filter){
		.size = sizeof(*filter), .syms = new.names, .cnt = new.nr,
	};
	return 0;
}

void pb_name_list_free(struct pb_name_list *list)
{
	pb_free(list->names);
	pb_free(list->text);
}
