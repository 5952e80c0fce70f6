/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorts and searches lists of names, which may have thousands of elements. */
#ifndef PB_TRACE_SORTED_NAMES_H
#define PB_TRACE_SORTED_NAMES_H

#include <core/system/sort.h>

#include <stddef.h>
#include <string.h>

static inline int pb_names_order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static inline void pb_names_sort(const char **names, size_t nr)
{
	pb_sort(names, nr, sizeof(*names), pb_names_order);
}

static inline int pb_names_have(const char *const *names, size_t nr,
				const char *name)
{
	size_t from = 0;

	while (from < nr) {
		size_t middle = from + (nr - from) / 2;
		int order = strcmp(name, names[middle]);

		if (!order)
			return 1;
		if (order > 0)
			from = middle + 1;
		else
			nr = middle;
	}
	return 0;
}

#endif /* PB_TRACE_SORTED_NAMES_H */
