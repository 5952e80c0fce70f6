/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes filters of libpatchbay for the names in PATCHBAY. */
#ifndef PB_TRACE_GLOBS_H
#define PB_TRACE_GLOBS_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/* Returns a filter for @text, a string of pb_options. */
struct patchbay_filter pb_glob_filter(enum pbd_asked_by by, const char *text);

/*
 * Returns a filter for names that match one of @globs or @others, or that are listed. The
 * filter's glob is NULL if all lists are empty. If one of the globs is "*", the filter
 * selects all functions, also those without a name. Filters of different lists need
 * different values of @name.
 */
struct pb_glob_list {
	const char *const *globs, *const *others;
	size_t nr, nr_others;
	const char *const *names; /* names in symbol tables */
	size_t nr_names;
	const char *const *sorted; /* more names in symbol tables, sorted, possibly thousands */
	size_t nr_sorted;
};
struct patchbay_filter pb_glob_list_filter(const char *name,
					   struct pb_glob_list *list);

#endif /* PB_TRACE_GLOBS_H */
