/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * All functions of the largest programs have fewer. What a client sends by
 * mistake must not take the program's memory.
 */
#define NAMES_SIZE_MAX (64 << 20)

/* Not mapped: whoever has the file may make it shorter at any time. */
static int read_text(char *text, size_t size, int file)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(file, text + done, size - done, (off_t)done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EINVAL;
		if (n > 0)
			done += (size_t)n;
	}
	return text[size - 1] ? -EINVAL : 0;
}

static int split(struct pb_name_list *list, size_t size)
{
	const char *end = list->text + size;
	size_t nr = 0;

	for (const char *at = list->text; at < end; at += strlen(at) + 1)
		nr++;
	list->names = malloc(nr * sizeof(*list->names));
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
	struct stat status;
	int error;

	if (fstat(file, &status))
		return -errno;
	/* Others could be waited for without end. */
	if (!S_ISREG(status.st_mode) || status.st_size <= 0)
		return -EINVAL;
	if (status.st_size > NAMES_SIZE_MAX)
		return -EFBIG;
	new.text = malloc((size_t)status.st_size);
	if (!new.text)
		return -ENOMEM;
	error = read_text(new.text, (size_t)status.st_size, file);
	if (!error)
		error = split(&new, (size_t)status.st_size);
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
	free(list->names);
	free(list->text);
}
