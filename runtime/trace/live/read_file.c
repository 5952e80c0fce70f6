/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "read_file.h"

#include <core/system/memory.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads instead of mapping: another process may truncate the file at any time. */
static int read_all(int file, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(file, bytes + done, size - done, (off_t)done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EINVAL;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

int pb_read_file(int file, size_t max, char **bytes, size_t *size)
{
	struct stat status;
	int error;

	if (fstat(file, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size <= 0)
		return -EINVAL;
	if ((size_t)status.st_size > max)
		return -EFBIG;
	*size = (size_t)status.st_size;
	*bytes = pb_malloc(*size);
	if (!*bytes)
		return -ENOMEM;
	error = read_all(file, *bytes, *size);
	if (error)
		pb_free(*bytes);
	return error;
}
