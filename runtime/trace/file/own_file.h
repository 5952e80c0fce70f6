/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the files of a directory that belong to this recording. The recorder
 * renames and removes no others. Such a file has a name as in format.h and is a
 * regular file. Its header has our magic, the number of this recording, and the
 * process that its name says.
 */
#ifndef PB_TRACE_OWN_FILE_H
#define PB_TRACE_OWN_FILE_H

#include <stdint.h>

struct pb_own_file {
	int is_whole;      /* PID.TIME.pbd; otherwise PID.pbd, PID.N.pbd or
			      PID.N.spare.pbd */
	uint32_t pid;      /* from the header */
	uint64_t start_ns; /* from the header */
	uint64_t bytes;    /* on disk */
};

/*
 * Returns a descriptor. Returns a negative number if the file is missing, or
 * belongs to another recording.
 */
int pb_own_file_open(int folder, const char *path, struct pb_own_file *found);

#endif /* PB_TRACE_OWN_FILE_H */
