/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unmaps a data file in a process that goes on. Its chunks were mapped one by
 * one, thousands of them in a long recording. Only the kernel has a list of
 * them.
 */
#include "data_file.h"
#include "system/maps_text.h"
#include "system/memory.h"
#include "system/sys.h"

/* START-END PERMISSIONS OFFSET DEVICE INODE   PATH */
struct line {
	uintptr_t start, end;
	const char *file; /* DEVICE INODE */
	size_t size;	  /* of @file */
};

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

static struct line read_line(const struct pb_maps_text *maps)
{
	struct line line;
	const char *at = read_address(maps->line, &line.start);

	at = read_address(at, &line.end);
	line.file = skip_word(skip_word(at));
	line.size = (size_t)(skip_word(skip_word(line.file)) - line.file);
	return line;
}

/* @file has room for the device and the inode. Returns its size, or 0. */
static size_t find_file(struct pb_maps_text *maps, uintptr_t of, char *file)
{
	while (pb_maps_next(maps)) {
		const struct line line = read_line(maps);

		if (of - line.start >= line.end - line.start)
			continue;
		pb_copy(file, line.file, line.size);
		return line.size;
	}
	return 0;
}

static int is_same(const struct line *line, const char *file, size_t size)
{
	size_t at = 0;

	while (at < size && at < line->size && line->file[at] == file[at])
		at++;
	return at == size && at == line->size;
}

/*
 * Unmaps all mappings of the file that is mapped at @of. The kernel's device
 * number in maps may differ from fstat(2)'s. Without memory, or without /proc,
 * the mappings stay.
 */
void pb_data_unmap_all(const void *of)
{
	struct pb_maps_text *maps;
	char file[64]; /* two numbers */
	size_t size;

	if (!of)
		return;
	maps = pb_memory_new(1, sizeof(*maps));
	if (!maps || pb_maps_open(maps)) {
		pb_memory_free(maps);
		return;
	}
	size = find_file(maps, (uintptr_t)of, file);
	pb_maps_rewind(maps);
	while (size && pb_maps_next(maps)) {
		const struct line line = read_line(maps);

		if (is_same(&line, file, size))
			pb_sys(SYS_munmap, line.start, line.end - line.start);
	}
	pb_maps_close(maps);
	pb_memory_free(maps);
}

void pb_data_close(struct pb_data_file *file)
{
	pb_data_forget();
	pb_data_unmap_all(file->header);
	file->header = NULL;
}
