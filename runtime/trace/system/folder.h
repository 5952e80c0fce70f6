/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a directory without opendir(3), which allocates. */
#ifndef PB_TRACE_FOLDER_H
#define PB_TRACE_FOLDER_H

#include <stddef.h>

struct pb_folder {
	int fd;
	size_t used, filled; /* bytes of @entries */
	_Alignas(8) char entries[2048];
};

/* Returns 0 or -errno. */
int pb_folder_open(struct pb_folder *folder, const char *path);

/* The next name, valid until the next call, or NULL. */
const char *pb_folder_next(struct pb_folder *folder);

void pb_folder_close(struct pb_folder *folder);

#endif /* PB_TRACE_FOLDER_H */
