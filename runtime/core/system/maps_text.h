/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the kernel's list of mappings (proc_pid_maps(5)) line by line, without the C
 * library: fopen(3) allocates. trace/ uses it, too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Longer lines are cut off. Then a reader of the recording cannot open the line's file. */
#define PB_MAPS_LINE_MAX 4224u /* PATH_MAX, and the fields before the path */

/* Allocate this from the heap: it is too large for a small stack. */
struct pb_maps_text {
	int fd;
	uint32_t used, filled; /* bytes of @piece */
	uint32_t length;       /* bytes of @line, with its newline */
	char piece[4096];
	char line[PB_MAPS_LINE_MAX];
};

/* START-END PERMISSIONS OFFSET DEVICE INODE   PATH */
struct pb_maps_line {
	uintptr_t start, end;
	const char *access; /* PERMISSIONS, four characters */
	const char *file, *inode; /* DEVICE INODE; INODE */
	size_t file_size;	  /* of @file */
	const char *path;	  /* followed by the newline */
	size_t path_size;
};

/*
 * Open the list for this thread: /proc/self has no maps after the main thread has ended.
 * Returns 0 or -errno. All these functions are async-signal-safe and preserve errno.
 */
int pb_maps_open(struct pb_maps_text *maps);

/* Read the next line. Returns 0 after the last one. Mappings may change between two lines. */
int pb_maps_next(struct pb_maps_text *maps);

/* The fields of the line that was read last. */
struct pb_maps_line pb_maps_parts(const struct pb_maps_text *maps);

void pb_maps_rewind(struct pb_maps_text *maps);

void pb_maps_close(struct pb_maps_text *maps);
