/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The size of a block is a power of two, and the block comes from the free list of that size.
 * A large block is a mapping. A free list is a stack that one compare-and-exchange changes
 * (Treiber, "Systems Programming: Coping with Parallelism", 1986). A counter beside the address
 * of the top block makes the exchange fail if another thread has taken the top block and freed
 * it in between. Memory of free lists is never unmapped, so pop() may read a block that another
 * thread has just taken.
 *
 * Freed mappings of up to KEPT_MAX bytes together are kept, because most batches allocate and
 * free the same sizes as the previous batch.
 */
#include "system/memory.h"

#ifndef PB_LIBC_MEMORY

#include "system/raw_syscall.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Precedes the caller's memory. */
struct block {
	size_t size;	     /* of the whole block; above SMALL_MAX: a mapping */
	struct block *next;  /* in a free list */
};
_Static_assert(sizeof(struct block) == 16, "memory is not aligned to 16 bytes");

#define SMALL_MIN 32
#define SMALL_MAX 4096
#define NR_LISTS 8
_Static_assert(SMALL_MIN << (NR_LISTS - 1) == SMALL_MAX, "NR_LISTS is wrong");

/*
 * The sizes of the chunks that refill an empty list: at first CHUNK_MIN bytes, then twice as
 * many each time, up to CHUNK_MAX. Whole chunks count towards the program's RLIMIT_DATA, and
 * are resident with mlockall(2).
 */
#define CHUNK_MIN ((size_t)4096)
#define CHUNK_MAX ((size_t)65536)
static size_t next_chunk[NR_LISTS];

/*
 * The address of the top block, with a counter above it. Without a hint, mmap(2) returns
 * addresses of at most 48 bits.
 */
static uint64_t lists[NR_LISTS];
#define ADDRESS_BITS 48
#define ADDRESS (((uint64_t)1 << ADDRESS_BITS) - 1)

/* Sizes of mappings are multiples of PAGE. The kernel rounds them up to its own pages. */
#define PAGE_SHIFT 12
#define PAGE ((size_t)1 << PAGE_SHIFT)

/* A kept mapping: its page number, and in the lower bits its number of pages. 0: no mapping. */
#define NR_KEPT 16
/* The offset of a large block in its mapping, which aligns the caller's memory to 64 bytes. */
#define OFFSET (64 - sizeof(struct block))
#define NR_PAGES_BITS 28
#define NR_PAGES (((uint64_t)1 << NR_PAGES_BITS) - 1)
#define KEPT_MAX (8u << 20)
static uint64_t kept[NR_KEPT];
static size_t kept_size;

static struct block *top_of(uint64_t list)
{
	return (struct block *)(uintptr_t)(list & ADDRESS);
}

static void push(uint64_t *list, struct block *first, struct block *last)
{
	uint64_t old = __atomic_load_n(list, __ATOMIC_RELAXED), new;

	do {
		__atomic_store_n(&last->next, top_of(old), __ATOMIC_RELAXED);
		new = (uintptr_t)first | (old & ~ADDRESS);
	} while (!__atomic_compare_exchange_n(list, &old, new, 1, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

static struct block *pop(uint64_t *list)
{
	uint64_t old = __atomic_load_n(list, __ATOMIC_ACQUIRE), new;
	struct block *block;

	do {
		block = top_of(old);
		if (!block)
			return NULL;
		new = (uintptr_t)__atomic_load_n(&block->next, __ATOMIC_RELAXED) |
		      ((old & ~ADDRESS) + ADDRESS + 1);
	} while (!__atomic_compare_exchange_n(list, &old, new, 1, __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	return block;
}

/*
 * LeakSanitizer (lsan_interface.h) must look for pointers in this memory, too: the data of a
 * tracer, for example, are no leak. Programs without LeakSanitizer do not have these functions.
 */
#pragma weak __lsan_register_root_region
#pragma weak __lsan_unregister_root_region
void __lsan_register_root_region(const void *memory, size_t size);
void __lsan_unregister_root_region(const void *memory, size_t size);

static void *mapped(long memory, size_t size)
{
	if (memory < 0 && memory >= -4095)
		return NULL;
	if (__lsan_register_root_region)
		__lsan_register_root_region((void *)memory, size);
	return (void *)memory;
}

static void *map(size_t size)
{
	return mapped(pb_raw_syscall(SYS_mmap, (const long[6]){
			0, (long)size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 }), size);
}

static void forget(char *memory, size_t size)
{
	if (__lsan_unregister_root_region)
		__lsan_unregister_root_region(memory, size);
}

static struct block *small(size_t size)
{
	unsigned int nr = 0;
	struct block *block, *at;
	size_t chunk_size;
	char *chunk;

	while ((size_t)SMALL_MIN << nr < size)
		nr++;
	size = (size_t)SMALL_MIN << nr;
	block = pop(&lists[nr]);
	if (block)
		return block;
	chunk_size = __atomic_load_n(&next_chunk[nr], __ATOMIC_RELAXED);
	if (!chunk_size)
		chunk_size = CHUNK_MIN;
	chunk = map(chunk_size);
	if (!chunk)
		return NULL;
	/* Two threads may store the same size; that does no harm. */
	if (chunk_size < CHUNK_MAX)
		__atomic_store_n(&next_chunk[nr], 2 * chunk_size, __ATOMIC_RELAXED);
	for (size_t i = 0; i < chunk_size; i += size) {
		at = (struct block *)(chunk + i);
		at->size = size;
		at->next = (struct block *)(chunk + i + size);
	}
	/* The first block goes to the caller, the others to the list. */
	if (size < chunk_size)
		push(&lists[nr], (struct block *)(chunk + size),
		     (struct block *)(chunk + chunk_size - size));
	return (struct block *)chunk;
}

/* Take a kept mapping of @size to 2 * @size bytes. @size is a multiple of PAGE. */
static struct block *take_kept(size_t size)
{
	for (int i = 0; i < NR_KEPT; i++) {
		uint64_t old = __atomic_load_n(&kept[i], __ATOMIC_RELAXED);
		size_t has = (size_t)(old & NR_PAGES) << PAGE_SHIFT;

		if (has < size || has / 2 > size ||
		    !__atomic_compare_exchange_n(&kept[i], &old, 0, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(&kept_size, has, __ATOMIC_RELAXED);
		return (struct block *)((old >> NR_PAGES_BITS << PAGE_SHIFT) + OFFSET);
	}
	return NULL;
}

/* Keep a mapping that was freed, unless too many are kept. Returns 1 if it is kept. */
static int keep(struct block *block)
{
	const size_t size = block->size;
	const uint64_t entry = (uint64_t)(uintptr_t)block >> PAGE_SHIFT << NR_PAGES_BITS |
			       size >> PAGE_SHIFT;

	if (__atomic_add_fetch(&kept_size, size, __ATOMIC_RELAXED) <= KEPT_MAX)
		for (int i = 0; i < NR_KEPT; i++) {
			uint64_t none = 0;

			if (__atomic_compare_exchange_n(&kept[i], &none, entry, 0,
							__ATOMIC_RELEASE, __ATOMIC_RELAXED))
				return 1;
		}
	__atomic_fetch_sub(&kept_size, size, __ATOMIC_RELAXED);
	return 0;
}

static struct block *mapping(size_t size, int *is_zero)
{
	struct block *block = take_kept(size);
	char *memory;

	*is_zero = !block;
	if (block)
		return block;
	memory = map(size);
	if (!memory)
		return NULL;
	block = (struct block *)(memory + OFFSET);
	block->size = size;
	return block;
}

/* Returns the size of a block for @size bytes, or 0. */
static size_t whole_size(size_t size)
{
	if (size > PTRDIFF_MAX - 2 * PAGE)
		return 0;
	size += sizeof(struct block);
	if (size <= SMALL_MAX)
		return size;
	return (size + OFFSET + PAGE - 1) & ~(PAGE - 1);
}

static void *allocate(size_t size, int *is_zero)
{
	struct block *block;

	size = whole_size(size);
	*is_zero = 0;
	if (!size)
		return NULL;
	block = size <= SMALL_MAX ? small(size) : mapping(size, is_zero);
	return block ? block + 1 : NULL;
}

void pb_free(void *memory)
{
	struct block *block = (struct block *)memory - 1;
	unsigned int nr = 0;

	if (!memory)
		return;
	if (block->size > SMALL_MAX) {
		char *start = (char *)block - OFFSET;
		const size_t size = block->size;

		if (keep(block))
			return;
		forget(start, size);
		pb_raw_syscall(SYS_munmap, (const long[6]){ (long)start, (long)size });
		return;
	}
	while ((size_t)SMALL_MIN << nr < block->size)
		nr++;
	push(&lists[nr], block, block);
}

void *pb_malloc(size_t size)
{
	int is_zero;

	return allocate(size, &is_zero);
}

void *pb_calloc(size_t nr, size_t size)
{
	int is_zero;
	void *memory;

	if (__builtin_mul_overflow(nr, size, &size))
		return NULL;
	memory = allocate(size, &is_zero);
	/* New mappings are zero. Do not touch them: untouched pages cost no memory. */
	return !memory || is_zero ? memory : memset(memory, 0, size);
}

static struct block *resize(struct block *block, size_t size)
{
	char *old = (char *)block - OFFSET, *memory;
	const size_t old_size = block->size;

	memory = mapped(pb_raw_syscall(SYS_mremap, (const long[6]){
			(long)old, (long)old_size, (long)size, MREMAP_MAYMOVE }), size);
	if (!memory)
		return NULL;
	forget(old, old_size);
	block = (struct block *)(memory + OFFSET);
	block->size = size;
	return block;
}

void *pb_realloc(void *memory, size_t size)
{
	struct block *block = (struct block *)memory - 1, *resized;
	const size_t whole = whole_size(size);
	int is_zero;
	void *new;

	if (!memory)
		return allocate(size, &is_zero);
	if (!whole)
		return NULL;
	if (whole <= block->size)
		return memory;
	resized = block->size > SMALL_MAX ? resize(block, whole) : NULL;
	if (resized)
		return resized + 1;
	/* mremap(2) fails under some seccomp filters, or with too many mappings: copy. */
	new = allocate(size, &is_zero);
	if (new) {
		memcpy(new, memory, block->size - sizeof(*block) -
					    (block->size > SMALL_MAX ? OFFSET : 0));
		pb_free(memory);
	}
	return new;
}

#endif /* PB_LIBC_MEMORY */
