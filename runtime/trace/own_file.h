/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which files in a directory belong to this recording. Only these are renamed and
 * removed: the name has a form of format.h, the file is a regular one, and its header has
 * our magic, the number of this recording and the process that is in the name.
 */
#ifndef PB_TRACE_OWN_FILE_H
#define PB_TRACE_OWN_FILE_H

#include <stdint.h>

struct pb_own_file {
	int is_whole;      /* PID.TIME.pbd; else PID.pbd, PID.N.pbd or PID.N.spare.pbd */
	uint32_t pid;      /* of the header */
	uint64_t start_ns; /* of the header */
	uint64_t bytes;    /* of the disk */
};

/* Returns a descriptor, or a negative number: the file is another's, or is not there. */
int pb_own_file_open(int folder, const char *path, struct pb_own_file *found);

#endif /* PB_TRACE_OWN_FILE_H */
