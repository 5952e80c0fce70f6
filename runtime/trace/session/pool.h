/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preallocated chunks of one size in the data file, for threads that may not make system
 * calls (sandbox.c). All chunks are committed in advance, with the kind PBD_SPARE, so that
 * a thread that takes a chunk only changes the kind.
 */
#ifndef PB_TRACE_POOL_H
#define PB_TRACE_POOL_H

#include "format/format.h"

/* fork() fills this with zeros: a child has no pool. */
struct pb_pool {
	char *chunks; /* mapped; NULL: with an arena, where @at is the offset in the file */
	uint64_t at;
	uint64_t size; /* size of each chunk */
	uint64_t nr;
	uint64_t taken;
};

/* Maximum size of all chunks together, and of each chunk. */
#define PB_POOL_SIZE (16u << 20)
#define PB_POOL_CHUNK (64u << 10)
#define PB_POOL_NR (PB_POOL_SIZE / PB_POOL_CHUNK)

/*
 * Make the pool, unless it exists, as large as disk and memory limit allow. The caller
 * holds the session's lock. Returns 0, or -errno if not even one chunk fits.
 */
int pb_pool_make(void);

/*
 * Take a chunk, zeroed except for its head. Returns NULL if none is left. Uses
 * no lock, and may run wherever a traced function was called.
 */
struct pbd_chunk *pb_pool_take(void);

/* Is @chunk in the pool's mapping? Such chunks must not be unmapped. */
int pb_pool_has(const void *chunk);

/* Set the chunk's kind, so that readers see its contents. */
static inline void pb_pool_publish(struct pbd_chunk *chunk, enum pbd_kind kind)
{
	__atomic_store_n(&chunk->kind, kind, __ATOMIC_RELEASE);
}

#endif /* PB_TRACE_POOL_H */
