/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library's own heap, used instead of the program's malloc(): malloc() may not be
 * thread-safe in a program with one thread, may be traced, and may hold its lock while a signal
 * handler runs.
 *
 * The heap has no lock, except LeakSanitizer's in programs with AddressSanitizer (memory.c).
 * So a child may be forked at any moment, and a signal handler may allocate. The child leaks
 * memory that another thread was allocating or freeing at that moment. The functions are
 * thread-safe and async-signal-safe. They do not preserve vector registers, so handlers of
 * traced functions call none of them.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * As malloc(3), calloc(3), realloc(3) and free(3). Memory is aligned to 16 bytes, and to 64
 * if it has PB_MEMORY_LARGE bytes or more.
 */
#define PB_MEMORY_LARGE 4096
#ifdef PB_LIBC_MEMORY /* for tests: sanitizers watch that heap */
#include <stdlib.h>
#define pb_malloc malloc
#define pb_calloc calloc
#define pb_realloc realloc
#define pb_free free
#else
void *pb_malloc(size_t size);
void *pb_calloc(size_t nr, size_t size);
void *pb_realloc(void *memory, size_t size);
void pb_free(void *memory);
#endif

/* As strdup(3). */
static inline char *pb_copy_string(const char *from)
{
	size_t size = strlen(from) + 1;
	void *to = pb_malloc(size);

	return (char *)(to ? memcpy(to, from, size) : to);
}

/*
 * Make the array at *@array, of *@room elements of @size bytes, have space for @nr. Returns 0 or
 * -ENOMEM. @array is the address of a pointer of any type.
 */
static inline int pb_grow(void *array, size_t *room, size_t nr, size_t size)
{
	void *elements;

	if (nr <= *room)
		return 0;
	memcpy(&elements, array, sizeof(elements));
	elements = pb_realloc(elements, 2 * nr * size);
	if (!elements)
		return -ENOMEM;
	memcpy(array, &elements, sizeof(elements));
	*room = 2 * nr;
	return 0;
}

#ifdef __cplusplus
}
#endif
