/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chunks of the data file that are there in advance, of one size, for who may not
 * make system calls (sandbox.h). In the file they are PBD_SPARE until they are
 * taken, and committed all along: to take one is to change its kind.
 */
#ifndef PB_TRACE_POOL_H
#define PB_TRACE_POOL_H

#include "format.h"

/* In memory that fork() fills with zeros. */
struct pb_pool {
	char *chunks;
	uint64_t size; /* of each */
	uint64_t nr;
	uint64_t taken;
};

/* Of all chunks together, at most; and of one. */
#define PB_POOL_SIZE (16u << 20)
#define PB_POOL_CHUNK (64u << 10)
#define PB_POOL_NR (PB_POOL_SIZE / PB_POOL_CHUNK)

/*
 * Make it, as large as there is space, unless there is one. With the session's
 * lock held. Returns 0, or -errno if there is none.
 */
int pb_pool_make(void);

/*
 * A chunk that is the caller's alone, zeros but for its head, or NULL: there are
 * no more. Without a lock, from wherever a traced function was called.
 */
struct pbd_chunk *pb_pool_take(void);

/* Is it one of the pool's? Those are mapped together, and stay. */
int pb_pool_has(const void *chunk);

/* What is in it is for readers now, and it is of this kind. */
static inline void pb_pool_publish(struct pbd_chunk *chunk, enum pbd_kind kind)
{
	__atomic_store_n(&chunk->kind, kind, __ATOMIC_RELEASE);
}

#endif /* PB_TRACE_POOL_H */
