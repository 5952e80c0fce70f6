/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped to be executed is written down (struct pbd_maps), so that addresses on
 * stacks can be told. It is looked at when there is such a stack, at most once a second,
 * and written down if it has changed.
 */
#ifndef PB_TRACE_MAPPED_H
#define PB_TRACE_MAPPED_H

#include <stdint.h>

/* In memory that fork() fills with zeros. */
struct pb_mapped {
	uint64_t looked_ns; /* CLOCK_MONOTONIC; 0: not yet */
	uint64_t sum;       /* of what was written down last */
	uint32_t id;
};

/* With the session's lock held. The id of what holds now, 0: it is not known. */
uint32_t pb_mapped_look(uint64_t now_ns);

#endif /* PB_TRACE_MAPPED_H */
