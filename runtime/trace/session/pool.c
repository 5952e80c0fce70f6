/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool.h"

#include "file/arena.h"
#include "memory_limit.h"

/* Returns at most the size of a thread's buffer. */
static uint64_t chunk_size(void)
{
	uint64_t size = PB_POOL_CHUNK;

	while (size > pb_options.buffer && size > 4096)
		size /= 2;
	return size;
}

/*
 * With an arena, only space in the file is allocated. take_area() takes memory from the
 * arena.
 */
static int set_aside(uint64_t size, uint64_t nr)
{
	struct pb_pool *pool = &pb_session->pool;
	const uint64_t at = pb_session->file.header->committed;
	int error = pb_data_add_spare(&pb_session->file, nr, size);

	if (error)
		return error;
	pool->at = at;
	pool->size = size;
	__atomic_store_n(&pool->nr, nr, __ATOMIC_RELEASE);
	return 0;
}

static struct pbd_chunk *take_area(uint64_t at)
{
	const uint64_t size = pb_session->pool.size;
	struct pbd_chunk *chunk = pb_arena_take_pages(size);

	if (!chunk)
		return NULL;
	chunk->kind = PBD_SPARE;
	chunk->size = size;
	pb_arena_bind(&pb_session->file, chunk, at);
	return chunk;
}

static int make(uint64_t size, uint64_t nr)
{
	struct pb_pool *pool = &pb_session->pool;
	struct pbd_chunk *chunk;
	int error;

	if (!pb_memory_has_room(size * nr, 0))
		return -PB_OVER_MEMORY;
	if (pb_session->file.is_in_arena)
		return set_aside(size, nr);
	chunk = pb_data_reserve(&pb_session->file, PBD_SPARE, size * nr, &error);
	if (!chunk)
		return error;
	pb_memory_take(size * nr);
	pool->chunks = (char *)chunk;
	pool->size = size;
	for (uint64_t i = 0; i < nr; i++) {
		chunk = (struct pbd_chunk *)(pool->chunks + i * size);
		chunk->kind = PBD_SPARE;
		chunk->size = size;
		pb_data_commit(&pb_session->file, chunk);
	}
	__atomic_store_n(&pool->nr, nr, __ATOMIC_RELEASE);
	return 0;
}

int pb_pool_make(void)
{
	uint64_t size = chunk_size();
	int error = 0;

	if (pb_session->pool.nr)
		return 0;
	for (uint64_t nr = PB_POOL_NR; nr; nr /= 2) {
		error = make(size, nr);
		if (!error)
			break;
	}
	return error;
}

struct pbd_chunk *pb_pool_take(void)
{
	struct pb_pool *pool = &pb_session->pool;
	uint64_t nr = __atomic_load_n(&pool->nr, __ATOMIC_ACQUIRE), i;

	/* Without this check, failed calls would increase @taken without limit. */
	if (__atomic_load_n(&pool->taken, __ATOMIC_RELAXED) >= nr)
		return NULL;
	i = __atomic_fetch_add(&pool->taken, 1, __ATOMIC_RELAXED);
	if (i >= nr)
		return NULL;
	return pool->chunks ? (struct pbd_chunk *)(pool->chunks + i * pool->size) :
			      take_area(pool->at + i * pool->size);
}

int pb_pool_has(const void *chunk)
{
	const struct pb_pool *pool = &pb_session->pool;

	return pool->chunks &&
	       (uintptr_t)chunk - (uintptr_t)pool->chunks <
	       pool->size * pool->nr;
}
