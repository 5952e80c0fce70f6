/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/maps_text.h"

#include "system/raw_syscall.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int pb_maps_open(struct pb_maps_text *maps)
{
	static const char name[] = "/proc/thread-self/maps";

	maps->used = maps->filled = maps->length = 0;
	maps->fd = (int)pb_raw_syscall(SYS_openat, (const long[6]){
			AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC });
	return maps->fd < 0 ? maps->fd : 0;
}

static int next_byte(struct pb_maps_text *maps)
{
	if (maps->used == maps->filled) {
		long size = pb_raw_syscall(SYS_read, (const long[6]){
				maps->fd, (long)maps->piece, sizeof(maps->piece) });

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

static const char *read_address(const char *at, uintptr_t *address)
{
	for (*address = 0; *at != '-' && *at != ' '; at++)
		*address = *address * 16 +
			   (uintptr_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	return at + 1;
}

static const char *skip_word(const char *at)
{
	while (*at != ' ' && *at != '\n')
		at++;
	return at + (*at == ' ');
}

struct pb_maps_line pb_maps_parts(const struct pb_maps_text *maps)
{
	const char *end = maps->line + maps->length - 1;
	struct pb_maps_line line;
	const char *at = read_address(maps->line, &line.start);

	at = read_address(at, &line.end);
	line.access = at;
	line.file = skip_word(skip_word(at));
	line.inode = skip_word(line.file);
	at = skip_word(line.inode);
	line.file_size = (size_t)(at - line.file);
	while (*at == ' ')
		at++;
	line.path = at;
	line.path_size = (size_t)(end - at);
	return line;
}

void pb_maps_rewind(struct pb_maps_text *maps)
{
	pb_raw_syscall(SYS_lseek, (const long[6]){ maps->fd, 0, SEEK_SET });
	maps->used = maps->filled = 0;
}

void pb_maps_close(struct pb_maps_text *maps)
{
	pb_raw_syscall(SYS_close, (const long[6]){ maps->fd });
}
