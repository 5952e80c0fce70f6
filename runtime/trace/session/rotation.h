/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a rotation (rotate.h). */
#ifndef PB_TRACE_ROTATION_H
#define PB_TRACE_ROTATION_H

#include <stdint.h>

/* Most files that can wait to be unmapped. */
#define PB_ROTATE_LEFT 8

/* In struct pb_session. */
struct pb_rotation {
	uint64_t generation; /* number of switches */
	uint64_t since_ns;   /* when the file began, by CLOCK_MONOTONIC; 0: not known */
	uint32_t has_events; /* the file has events */
	uint32_t has_maps;   /* the lists do not refer to other files any more */
	uint32_t failed;     /* the last switch failed; try again later */
	/* On disk: of files in pb_left_files, and of those that the command removes now. */
	uint64_t left_bytes, gone_bytes;
	uint64_t gone_ns; /* since when */
};

/*
 * Files that this process does not need any more, each by an address in a mapping of it.
 * Not in memory that fork() fills with zeros: a child has the mappings, too. The session's
 * lock guards it.
 */
struct pb_left_files {
	uint32_t nr;
	const void *held[PB_ROTATE_LEFT];
};
extern struct pb_left_files pb_left_files;

#endif /* PB_TRACE_ROTATION_H */
