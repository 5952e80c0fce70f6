/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "selection.h"

#include "format/format.h"
#include "system/read_file.h"
#include "system/sys.h"

#include <core/system/memory.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The maximum size: more than the names of all functions of the largest programs. */
#define MOST ((size_t)256 << 20)

static const char option[] = ",selection=";

/* A backslash escapes a comma or a backslash in the path. */
static int read_path(const char *from, char path[PATH_MAX])
{
	size_t length = 0;

	for (; *from; from++) {
		if (*from == '\\' && (from[1] == ',' || from[1] == '\\'))
			from++;
		else if (*from == ',')
			return -EINVAL; /* selection= must be the last option */
		if (length == PATH_MAX - 1)
			return -ENAMETOOLONG;
		path[length++] = *from;
	}
	path[length] = '\0';
	return 0;
}

/* Set *@text to the first @kept bytes of @value, followed by the options in the file. */
static int read_options(int file, const char *value, size_t kept, char **text)
{
	const size_t magic = sizeof(PBD_SELECTION_MAGIC) - 1;
	char *bytes;
	size_t size;
	int error = pb_read_file(file, MOST, &bytes, &size);

	if (error)
		return error;
	*text = NULL;
	if (size < magic || memcmp(bytes, PBD_SELECTION_MAGIC, magic))
		error = -EINVAL;
	else if (!(*text = pb_malloc(kept + size - magic + 1)))
		error = -ENOMEM;
	if (*text) {
		/* The byte after the magic is a comma. */
		pb_copy(*text, value, kept);
		pb_copy(*text + kept, bytes + magic, size - magic);
		(*text)[kept + size - magic] = '\0';
	}
	pb_free(bytes);
	return error;
}

int pb_selection_read(const char *value, char **text, char *why, size_t size)
{
	const char *at = strstr(value, option);
	const size_t kept = at ? (size_t)(at - value) : strlen(value);
	char path[PATH_MAX];
	int error, file;

	if (!at) {
		*text = pb_malloc(kept + 1);
		if (*text)
			pb_copy(*text, value, kept + 1);
		else
			snprintf(why, size, "out of memory");
		return *text ? 0 : -ENOMEM;
	}
	error = read_path(at + sizeof(option) - 1, path);
	file = error ? error :
		       (int)pb_sys(SYS_openat, AT_FDCWD, path,
				   O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file >= 0) {
		error = read_options(file, value, kept, text);
		pb_sys(SYS_close, file);
	} else {
		error = file;
	}
	if (error)
		snprintf(why, size, "%s: %s", at + 1, strerror(-error));
	return error;
}
