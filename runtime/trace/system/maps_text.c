/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "maps_text.h"

#include "sys.h"

#include <fcntl.h>

int pb_maps_open(struct pb_maps_text *maps)
{
	maps->used = maps->filled = maps->length = 0;
	maps->fd = (int)pb_sys(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
			       O_RDONLY | O_CLOEXEC);
	return maps->fd < 0 ? maps->fd : 0;
}

static int next_byte(struct pb_maps_text *maps)
{
	if (maps->used == maps->filled) {
		long size = pb_sys(SYS_read, maps->fd, maps->piece,
				   sizeof(maps->piece));

		if (size <= 0)
			return -1;
		maps->used = 0;
		maps->filled = (uint32_t)size;
	}
	return (unsigned char)maps->piece[maps->used++];
}

int pb_maps_next(struct pb_maps_text *maps)
{
	int byte;

	maps->length = 0;
	while ((byte = next_byte(maps)) >= 0) {
		if (maps->length < PB_MAPS_LINE_MAX - 1 || byte == '\n')
			maps->line[maps->length++] = (char)byte;
		if (byte == '\n')
			return 1;
	}
	return 0;
}

void pb_maps_rewind(struct pb_maps_text *maps)
{
	pb_sys(SYS_lseek, maps->fd, 0l, SEEK_SET);
	maps->used = maps->filled = 0;
}

void pb_maps_close(struct pb_maps_text *maps)
{
	pb_sys(SYS_close, maps->fd);
}
