/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the kernel's list of mappings line by line, without the C library. */
#ifndef PB_TRACE_MAPS_TEXT_H
#define PB_TRACE_MAPS_TEXT_H

#include <stdint.h>

/* Longer lines are cut off. A reader of the recording cannot open their file then. */
#define PB_MAPS_LINE_MAX 4096u

/* Too large for a small stack. */
struct pb_maps_text {
	int fd;
	uint32_t used, filled; /* bytes of @piece */
	uint32_t length;       /* bytes of @line, with its newline */
	char piece[4096];
	char line[PB_MAPS_LINE_MAX];
};

/*
 * Open the list of this thread: after a main thread has ended, /proc/self has no maps.
 * Returns 0 or -errno. All functions are async-signal-safe.
 */
int pb_maps_open(struct pb_maps_text *maps);

/* Returns 0 after the last line. A mapping that was read may be removed meanwhile. */
int pb_maps_next(struct pb_maps_text *maps);

void pb_maps_rewind(struct pb_maps_text *maps);

void pb_maps_close(struct pb_maps_text *maps);

#endif /* PB_TRACE_MAPS_TEXT_H */
