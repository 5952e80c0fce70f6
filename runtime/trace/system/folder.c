/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "folder.h"

#include "sys.h"

#include <fcntl.h>

/* struct linux_dirent64 of getdents64(2), which no header defines. */
struct entry {
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

int pb_folder_open(struct pb_folder *folder, const char *path)
{
	folder->used = folder->filled = 0;
	folder->fd = (int)pb_sys(SYS_openat, AT_FDCWD, path,
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->fd < 0 ? folder->fd : 0;
}

const char *pb_folder_next(struct pb_folder *folder)
{
	const struct entry *entry;

	if (folder->used == folder->filled) {
		long size = pb_sys(SYS_getdents64, folder->fd, folder->entries,
				   sizeof(folder->entries));

		if (size <= 0)
			return NULL;
		folder->used = 0;
		folder->filled = (size_t)size;
	}
	entry = (const struct entry *)(folder->entries + folder->used);
	folder->used += entry->size;
	return entry->name;
}

void pb_folder_close(struct pb_folder *folder)
{
	pb_sys(SYS_close, folder->fd);
}
