/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "own_file.h"

#include "format/format.h"
#include "options/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the text after the number, or NULL if @text does not begin with one. */
static const char *skip_number(const char *text)
{
	const char *end = text + strspn(text, "0123456789");

	return end == text ? NULL : end;
}

static int is_time(const char *text)
{
	static const char form[] = "99999999T999999.999Z" PBD_SUFFIX;

	if (strlen(text) != sizeof(form) - 1)
		return 0;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '9' ? text[i] < '0' || text[i] > '9' :
				     text[i] != form[i])
			return 0;
	return 1;
}

enum form { FORM_NONE, FORM_WRITTEN, FORM_SPARE, FORM_WHOLE };

static enum form form_of(const char *name)
{
	const char *rest = skip_number(name);

	if (!rest)
		return FORM_NONE;
	if (!strcmp(rest, PBD_SUFFIX))
		return FORM_WRITTEN;
	if (*rest++ != '.')
		return FORM_NONE;
	if (is_time(rest))
		return FORM_WHOLE;
	rest = skip_number(rest);
	if (rest && !strcmp(rest, PBD_SUFFIX))
		return FORM_WRITTEN;
	return rest && !strcmp(rest, PBD_SPARE_SUFFIX) ? FORM_SPARE : FORM_NONE;
}

static int is_own(int file, const char *name, enum form form,
		  struct pb_own_file *found)
{
	struct pbd_header header;
	struct stat status;

	if (fstat(file, &status) || !S_ISREG(status.st_mode) ||
	    pread(file, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, PBD_MAGIC, sizeof(header.magic)) ||
	    header.byte_order != PBD_BYTE_ORDER ||
	    header.header_size < sizeof(header) ||
	    header.recording != pb_options.recording)
		return 0;
	/* A spare file is named after the process that set it aside. */
	if (form != FORM_SPARE && strtoull(name, NULL, 10) != header.pid)
		return 0;
	found->is_whole = form == FORM_WHOLE;
	found->pid = header.pid;
	found->start_ns = header.start_ns;
	found->bytes = (uint64_t)status.st_blocks * 512;
	return 1;
}

int pb_own_file_open(int folder, const char *path, struct pb_own_file *found)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const enum form form = form_of(name);
	int file;

	if (form == FORM_NONE)
		return -ENOENT;
	file = openat(folder, path,
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0)
		return -errno;
	if (is_own(file, name, form, found))
		return file;
	close(file);
	return -ENOENT;
}
