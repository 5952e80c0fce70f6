/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records the executable mappings (struct pbd_maps), so that readers can
 * resolve addresses on stacks. The recorder looks when it has copied a stack,
 * at most once a second, and writes the mappings if they have changed.
 */
#ifndef PB_TRACE_MAPPINGS_H
#define PB_TRACE_MAPPINGS_H

#include <stdint.h>

/* In memory that fork() fills with zeros. */
struct pb_mapped {
	uint64_t looked_ns; /* CLOCK_MONOTONIC; 0: not yet */
	uint64_t sum;       /* of the mappings written last */
	uint32_t id;
};

/*
 * Write the mappings if due. Returns the id of the last struct pbd_maps, or 0
 * if there is none. The caller holds the session's lock.
 */
uint32_t pb_mapped_look(uint64_t now_ns);

#endif /* PB_TRACE_MAPPINGS_H */
