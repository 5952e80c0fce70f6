/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An instrumented allocator, as some programs contain. Size classes are powers of two,
 * and one lock protects all. Include it in one C++ source of a program.
 */
#ifndef STRESS_ALLOCATOR_H
#define STRESS_ALLOCATOR_H

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>

enum { SMALLEST = 5, CLASSES = 16, CHUNK = 1 << 20 };

/* Header of an allocation: its class, or CLASSES and the length of its mapping. */
struct header {
	size_t kind;
	size_t mapped;
};

struct unused {
	struct unused *next;
};

static struct unused *lists[CLASSES];
static char *chunk, *chunk_end;
static std::atomic_flag heap_lock = ATOMIC_FLAG_INIT;

static void lock_heap()
{
	while (heap_lock.test_and_set(std::memory_order_acquire))
		sched_yield();
}

static void unlock_heap()
{
	heap_lock.clear(std::memory_order_release);
}

static void *map_memory(size_t size)
{
	void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? nullptr : at;
}

static void *cut_chunk(size_t size)
{
	void *at;

	if ((size_t)(chunk_end - chunk) < size) {
		chunk = static_cast<char *>(map_memory(CHUNK));
		if (!chunk)
			abort();
		chunk_end = chunk + CHUNK;
	}
	at = chunk;
	chunk += size;
	return at;
}

static size_t class_of(size_t size)
{
	size_t kind = 0;

	while (kind < CLASSES && ((size_t)1 << (kind + SMALLEST)) < size)
		kind++;
	return kind;
}

static struct header *header_of(void *p)
{
	return static_cast<struct header *>(p) - 1;
}

extern "C" {

void *malloc(size_t size)
{
	const size_t whole = size + sizeof(struct header);
	const size_t kind = class_of(whole);
	struct header *h;

	if (kind == CLASSES) {
		h = static_cast<struct header *>(map_memory(whole));
		if (!h)
			return nullptr;
	} else {
		lock_heap();
		h = reinterpret_cast<struct header *>(lists[kind]);
		if (h)
			lists[kind] = lists[kind]->next;
		else
			h = static_cast<struct header *>(
				cut_chunk((size_t)1 << (kind + SMALLEST)));
		unlock_heap();
	}
	h->kind = kind;
	h->mapped = whole;
	return h + 1;
}

void free(void *p)
{
	struct header *h;
	struct unused *u;

	if (!p)
		return;
	h = header_of(p);
	if (h->kind == CLASSES) {
		munmap(h, h->mapped);
		return;
	}
	u = reinterpret_cast<struct unused *>(h);
	lock_heap();
	const size_t kind = h->kind;
	u->next = lists[kind];
	lists[kind] = u;
	unlock_heap();
}

void *calloc(size_t nr, size_t size)
{
	void *p = malloc(nr * size);

	if (p)
		memset(p, 0, nr * size);
	return p;
}

void *realloc(void *old, size_t size)
{
	void *p = malloc(size);

	if (p && old) {
		const size_t had = header_of(old)->mapped - sizeof(struct header);

		memcpy(p, old, had < size ? had : size);
		free(old);
	}
	return p;
}

/* Memory is aligned to 16 bytes, but the loader and the C++ library need more. */
void *memalign(size_t align, size_t size)
{
	char *p;

	if (align <= sizeof(struct header))
		return malloc(size);
	/* The allocator never frees this memory, because few callers request it. */
	lock_heap();
	p = static_cast<char *>(cut_chunk(size + 2 * align + sizeof(struct header)));
	unlock_heap();
	p += sizeof(struct header);
	p += -reinterpret_cast<uintptr_t>(p) & (align - 1);
	header_of(p)->kind = 0;
	header_of(p)->mapped = size + sizeof(struct header);
	return p;
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	*p = memalign(align, size);
	return *p ? 0 : ENOMEM;
}
}

#endif /* STRESS_ALLOCATOR_H */
