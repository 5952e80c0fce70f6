/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting without qsort(3), which allocates. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void pb_sort_swap(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t left, right;

		memcpy(&left, a + i, sizeof(left));
		memcpy(&right, b + i, sizeof(right));
		memcpy(a + i, &right, sizeof(right));
		memcpy(b + i, &left, sizeof(left));
	}
}

static inline void pb_sort_sink(char *base, size_t at, size_t nr, size_t size,
				int (*compare)(const void *left, const void *right))
{
	for (size_t child = 2 * at + 1; child < nr; child = 2 * at + 1) {
		if (child + 1 < nr &&
		    compare(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (compare(base + at * size, base + child * size) >= 0)
			return;
		pb_sort_swap(base + at * size, base + child * size, size);
		at = child;
	}
}

/* As qsort(3), by heapsort. @size is a multiple of 8. */
static inline void pb_sort(void *base, size_t nr, size_t size,
			   int (*compare)(const void *left, const void *right))
{
	char *first = base;

	for (size_t at = nr / 2; at--;)
		pb_sort_sink(first, at, nr, size, compare);
	for (size_t left = nr; left > 1; left--) {
		pb_sort_swap(first, first + (left - 1) * size, size);
		pb_sort_sink(first, 0, left - 1, size, compare);
	}
}
