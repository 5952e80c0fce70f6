/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unmaps a data file in a process that continues to run. A long recording has thousands of
 * mappings, one per chunk, so the code finds them in /proc/self/maps instead of keeping a
 * list.
 */
#include "data_file.h"
#include "system/sys.h"

#include <core/system/maps_text.h>
#include <core/system/memory.h>

/*
 * Copies device and inode of the file that is mapped at @of to @file. Returns their length,
 * or 0 if @of is not mapped.
 */
static size_t find_file(struct pb_maps_text *maps, uintptr_t of, char *file)
{
	while (pb_maps_next(maps)) {
		const struct pb_maps_line line = pb_maps_parts(maps);

		if (of - line.start >= line.end - line.start)
			continue;
		pb_copy(file, line.file, line.file_size);
		return line.file_size;
	}
	return 0;
}

static int is_same(const struct pb_maps_line *line, const char *file, size_t size)
{
	size_t at = 0;

	while (at < size && at < line->file_size && line->file[at] == file[at])
		at++;
	return at == size && at == line->file_size;
}

/*
 * Compares device and inode as strings from /proc/self/maps, because fstat(2) may return
 * another device number. Without memory, or without /proc, the mappings stay.
 */
void pb_data_unmap_all(const void *of)
{
	struct pb_maps_text *maps;
	char file[64]; /* device and inode */
	size_t size;

	if (!of)
		return;
	maps = pb_calloc(1, sizeof(*maps));
	if (!maps || pb_maps_open(maps)) {
		pb_free(maps);
		return;
	}
	size = find_file(maps, (uintptr_t)of, file);
	pb_maps_rewind(maps);
	while (size && pb_maps_next(maps)) {
		const struct pb_maps_line line = pb_maps_parts(maps);

		if (is_same(&line, file, size))
			pb_sys(SYS_munmap, line.start, line.end - line.start);
	}
	pb_maps_close(maps);
	pb_free(maps);
}

void pb_data_close(struct pb_data_file *file)
{
	pb_data_forget();
	pb_data_unmap_all(file->held);
	file->header = NULL;
	file->held = NULL;
}
