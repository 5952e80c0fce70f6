/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "new_file.h"
#include "data_file.h"
#include "system/file_name.h"
#include "system/sys.h"

#include <fcntl.h>
#include <linux/fs.h>

/*
 * Give a file of O_TMPFILE a name. The kernel deletes the file if the process dies earlier.
 */
static int give_name(int fd, const char *name)
{
	char self[PB_FD_NAME_MAX];

	pb_fd_name(self, fd);
	return (int)pb_sys(SYS_linkat, AT_FDCWD, self, AT_FDCWD, name,
			   AT_SYMLINK_FOLLOW);
}

/*
 * Never replaces another file. Falls back to link(2), because some file systems, such as
 * NFS, lack RENAME_NOREPLACE. Others, such as vfat, lack links.
 */
static int rename_file(const char *from, const char *to)
{
	long error = pb_sys(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to,
			    RENAME_NOREPLACE);

	if (error != -EINVAL && error != -ENOSYS)
		return (int)error;
	error = pb_sys(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
	if (!error)
		pb_sys(SYS_unlinkat, AT_FDCWD, from, 0);
	return (int)error;
}

int pb_name_new_file(int fd, const char *now, const char *output,
		     char name[PATH_MAX])
{
	for (unsigned int n = 0; n < 10000; n++) {
		int error = pb_file_name(name, output, n, PBD_SUFFIX);

		if (!error)
			error = *now ? rename_file(now, name) :
				       give_name(fd, name);
		if (error != -EEXIST)
			return error;
	}
	return -EEXIST;
}

int pb_new_file(const char *output, char now[PATH_MAX])
{
	int fd = (int)pb_sys(SYS_openat, AT_FDCWD, output,
			     O_TMPFILE | O_RDWR | O_CLOEXEC, PB_DATA_MODE);

	*now = '\0';
	/* -EISDIR: a kernel without O_TMPFILE sees only O_DIRECTORY. */
	if (fd != -EOPNOTSUPP && fd != -EISDIR)
		return fd;
	for (unsigned int n = 0; n < 10000; n++) {
		int error = pb_file_name(now, output, n, PBD_NEW_SUFFIX);

		if (error)
			return error;
		fd = (int)pb_sys(SYS_openat, AT_FDCWD, now,
				 O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
				 PB_DATA_MODE);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}
