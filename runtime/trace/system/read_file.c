/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "read_file.h"

#include "sys.h"

#include <core/system/memory.h>

#include <fcntl.h>
#include <sys/stat.h>

/*
 * Reads the file instead of mapping it, because accessing a mapping of a truncated file
 * raises SIGBUS.
 */
static int read_all(int file, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const long n = pb_sys(SYS_pread64, file, bytes + done, size - done, done);

		if (n < 0 && n != -EINTR)
			return (int)n;
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
	int error = (int)pb_sys(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH);

	if (error)
		return error;
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
