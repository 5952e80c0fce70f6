/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unmaps a data file in a process that goes on. Its chunks were mapped one by
 * one, thousands of them in a long recording. Only the kernel has a list of
 * them.
 */
#include "data_file.h"
#include "sys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* START-END PERMISSIONS OFFSET DEVICE INODE   PATH */
struct line {
	uintptr_t start, end;
	char device[16];
	uint64_t inode;
};

static int read_line(FILE *maps, struct line *line)
{
	char text[256];

	do {
		if (!fgets(text, sizeof(text), maps))
			return 0;
		line->start = 0;
		sscanf(text, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %15s %" SCNu64,
		       &line->start, &line->end, line->device, &line->inode);
		/* The line may be longer. */
		while (!strchr(text, '\n') && fgets(text, sizeof(text), maps))
			;
	} while (!line->start);
	return 1;
}

/*
 * Unmaps all mappings of the file that is mapped at @of. The kernel's device
 * number in maps may differ from fstat(2)'s. Without memory, or without /proc,
 * the mappings stay.
 */
void pb_data_unmap_all(const void *of)
{
	struct line line, wanted = { 0 }, *found = NULL;
	size_t nr = 0, room = 0;
	FILE *maps;

	if (!of)
		return;

	for (int pass = 0; pass < 2; pass++) {
		maps = fopen("/proc/thread-self/maps", "re");
		if (!maps)
			break;
		while (read_line(maps, &line)) {
			if (!pass && (uintptr_t)of - line.start <
					     line.end - line.start)
				wanted = line;
			if (!pass || line.inode != wanted.inode ||
			    strcmp(line.device, wanted.device))
				continue;
			if (nr == room) {
				size_t more = room ? 2 * room : 64;
				void *list = realloc(found,
						     more * sizeof(*found));

				if (!list)
					break;
				found = list;
				room = more;
			}
			found[nr++] = line;
		}
		fclose(maps);
	}
	while (nr--)
		pb_sys(SYS_munmap, found[nr].start,
		       found[nr].end - found[nr].start);
	free(found);
}

void pb_data_close(struct pb_data_file *file)
{
	pb_data_forget();
	pb_data_unmap_all(file->header);
	file->header = NULL;
}
