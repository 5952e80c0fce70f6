/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names sorted by strcmp(), possibly thousands. */
#ifndef PB_TRACE_SORTED_NAMES_H
#define PB_TRACE_SORTED_NAMES_H

#include <stddef.h>
#include <string.h>

static inline void pb_names_sink(const char **names, size_t at, size_t nr)
{
	for (size_t child = 2 * at + 1; child < nr; child = 2 * at + 1) {
		const char *name = names[at];

		if (child + 1 < nr && strcmp(names[child], names[child + 1]) < 0)
			child++;
		if (strcmp(name, names[child]) >= 0)
			return;
		names[at] = names[child];
		names[child] = name;
		at = child;
	}
}

/*
 * Heapsort: qsort(3) allocates, and this code runs before main() and within
 * functions of the program.
 */
static inline void pb_names_sort(const char **names, size_t nr)
{
	for (size_t at = nr / 2; at--;)
		pb_names_sink(names, at, nr);
	for (size_t left = nr; left > 1; left--) {
		const char *largest = names[0];

		names[0] = names[left - 1];
		names[left - 1] = largest;
		pb_names_sink(names, 0, left - 1);
	}
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
