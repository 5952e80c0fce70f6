/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a rotation (rotate.h). */
#ifndef PB_TRACE_ROTATION_H
#define PB_TRACE_ROTATION_H

#include <stdint.h>

/* Maximum number of files that wait to be unmapped. */
#define PB_ROTATE_LEFT 8

/* In struct pb_session. */
struct pb_rotation {
	uint64_t generation; /* number of switches */
	uint64_t since_ns;   /* when the file began, by CLOCK_MONOTONIC; 0: not known */
	uint32_t has_events; /* the file has events */
	uint32_t has_maps;   /* the file has its own copy of the chunks of maps.h */
	uint32_t failed;     /* the last switch failed; try again later */
	/* Bytes on disk: of files in pb_left_files, and of files that the command removes. */
	uint64_t left_bytes, gone_bytes;
	uint64_t gone_ns; /* when @gone_bytes was set */
};

/*
 * Files that this process has left, each by an address in a mapping of the file. In memory
 * that fork() copies, since a child has the mappings, too. The session's lock guards the
 * list.
 */
struct pb_left_files {
	uint32_t nr;
	const void *held[PB_ROTATE_LEFT];
};
extern struct pb_left_files pb_left_files;

#endif /* PB_TRACE_ROTATION_H */
