/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "descriptor.h"

#include "sys.h"

#include <fcntl.h>
#include <linux/stat.h>

/*
 * Lowest numbers for kept descriptors. KEPT_AT is above the numbers that programs usually
 * use. KEPT_LEAST applies if RLIMIT_NOFILE is below KEPT_AT.
 */
#define KEPT_AT 1000
#define KEPT_LEAST 16

int pb_identify(int fd, struct pb_identity *identity)
{
	struct statx st;
	long error = pb_sys(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &st);

	if (error)
		return (int)error;
	identity->device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor;
	identity->inode = st.stx_ino;
	return 0;
}

int pb_is_of(int fd, const struct pb_identity *identity)
{
	struct pb_identity found;

	return !pb_identify(fd, &found) && found.device == identity->device &&
	       found.inode == identity->inode;
}

int pb_check_descriptor(int fd, const struct pb_identity *identity)
{
	if (fd < 0 || pb_is_of(fd, identity))
		return fd;
	pb_sys(SYS_close, fd);
	return -ESTALE;
}

int pb_keep_descriptor(int fd)
{
	int high = (int)pb_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_AT);

	/* -EINVAL: the number exceeds RLIMIT_NOFILE. */
	if (high < 0)
		high = (int)pb_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_LEAST);
	pb_sys(SYS_close, fd);
	return high == -EINVAL ? -EMFILE : high;
}

/*
 * The listening thread has its own descriptor table: copies descriptor @number of the main
 * thread.
 */
static int from_main_thread(int number)
{
	int process = (int)pb_sys(SYS_pidfd_open, pb_sys(SYS_getpid), 0), fd;

	if (process < 0)
		return process;
	fd = (int)pb_sys(SYS_pidfd_getfd, process, number, 0);
	pb_sys(SYS_close, process);
	return fd;
}

long pb_read_path(const char *path, void *to, size_t size)
{
	const int fd = (int)pb_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	const long read = fd < 0 ? fd : pb_sys(SYS_read, fd, to, size);

	if (fd >= 0)
		pb_sys(SYS_close, fd);
	return read;
}

int pb_copy_kept(int number, const struct pb_identity *identity)
{
	int fd = pb_check_descriptor((int)pb_sys(SYS_fcntl, number,
						 F_DUPFD_CLOEXEC, 0),
				     identity);

	if (fd >= 0 || fd == -EMFILE)
		return fd;
	return pb_check_descriptor(from_main_thread(number), identity);
}
