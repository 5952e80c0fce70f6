/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a rotation (rotate.h), in struct pb_session. */
#ifndef PB_TRACE_ROTATION_H
#define PB_TRACE_ROTATION_H

#include "format/format.h"

#include <limits.h>

/* Most files that can wait to be finished. */
#define PB_ROTATE_LEFT 8

struct pb_rotation {
	uint64_t generation; /* number of switches */
	uint64_t since_ns;   /* when the file began, by CLOCK_MONOTONIC; 0: not known */
	uint32_t has_events; /* the file has events */
	uint32_t has_maps;   /* the lists do not refer to other files any more */
	uint32_t failed;     /* the last switch failed; try again later */
	uint32_t nr_left;
	struct pb_left_file {
		struct pbd_header *header;
		uint64_t start_ns; /* from the header */
		char path[PATH_MAX];
	} left[PB_ROTATE_LEFT];
};

#endif /* PB_TRACE_ROTATION_H */
