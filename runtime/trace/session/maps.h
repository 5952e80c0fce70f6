/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of the chunks that map function numbers to functions. */
#ifndef PB_TRACE_MAPS_H
#define PB_TRACE_MAPS_H

#include "format/format.h"

struct pb_typed;

#define PB_MAP_CHUNKS 4

/*
 * In memory that fork() copies, because a forked child still has its parent's chunks
 * mapped. The list only grows, under libpatchbay's lock, so a child finds the elements that
 * were complete at the fork.
 */
struct pb_map {
	const struct pbd_module *module;
	const struct pbd_functions *functions; /* NULL: the module has no traced function */
	const struct pbd_arguments *arguments; /* NULL: no arguments are recorded */
	const struct pbd_names *names; /* NULL: none */
	const struct pbd_chunk *copied[PB_MAP_CHUNKS]; /* copies of these four chunks; for
						          pb_maps_copy() */
	struct pb_typed *typed; /* data of the functions' cells, to be freed */
	struct pb_map *next;
};

/* Chunks of left-out functions (functions/left_out.h), in memory that fork() copies. */
struct pb_left_out_map {
	const struct pbd_left_out *chunk;
	const struct pbd_chunk *copied; /* a copy of @chunk; for pb_maps_copy() */
	struct pb_left_out_map *next;
};

extern struct pb_map *pb_maps;
extern struct pb_left_out_map *pb_left_out_maps;

/*
 * Copy the chunks of both lists to the file of this process, and make the lists refer to
 * the copies. Returns 0 or -errno.
 */
int pb_maps_copy(void);

/*
 * Copy the chunks of one list element to the file of this process: all or none. Stores the
 * copies. Returns 0 or -errno.
 */
int pb_map_copy(const struct pb_map *map, const struct pbd_chunk *copies[PB_MAP_CHUNKS]);
int pb_left_out_copy(const struct pb_left_out_map *map, const struct pbd_chunk **copy);

#endif /* PB_TRACE_MAPS_H */
