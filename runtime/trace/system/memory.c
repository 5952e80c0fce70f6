/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include "sys.h"

#include <sys/mman.h>

/* Precedes the memory, and keeps its alignment. */
struct head {
	_Alignas(16) size_t size; /* of both */
};

static void *after_head(long memory, size_t size)
{
	struct head *head = (struct head *)memory;

	if (memory < 0 && memory > -4096)
		return NULL;
	head->size = size;
	return head + 1;
}

void *pb_memory_new(size_t nr, size_t size)
{
	if (__builtin_mul_overflow(nr, size, &size) ||
	    __builtin_add_overflow(size, sizeof(struct head), &size))
		return NULL;
	return after_head(pb_sys(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0ul),
			  size);
}

void *pb_memory_grow(void *memory, size_t size)
{
	struct head *head = (struct head *)memory - 1;

	if (!memory)
		return pb_memory_new(1, size);
	if (__builtin_add_overflow(size, sizeof(*head), &size))
		return NULL;
	return after_head(pb_sys(SYS_mremap, head, head->size, size, MREMAP_MAYMOVE),
			  size);
}

void pb_memory_free(void *memory)
{
	struct head *head = (struct head *)memory - 1;

	if (memory)
		pb_sys(SYS_munmap, head, head->size);
}
