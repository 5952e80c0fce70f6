/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filters of libpatchbay for the names that PATCHBAY asks for. */
#ifndef PB_TRACE_GLOBS_H
#define PB_TRACE_GLOBS_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/* A filter for @text, which is a string of pb_options. */
struct patchbay_filter pb_glob_filter(enum pbd_asked_by by, const char *text);

/*
 * A filter for names that match one of @globs or @others, or that are listed.
 * @name tells several such filters apart. The filter has no glob if the lists
 * are empty.
 */
struct pb_glob_list {
	const char *const *globs, *const *others;
	size_t nr, nr_others;
	const char *const *names; /* as in symbol tables */
	size_t nr_names;
	const char *const *sorted; /* the same, sorted, possibly thousands */
	size_t nr_sorted;
};
struct patchbay_filter pb_glob_list_filter(const char *name,
					   struct pb_glob_list *list);

#endif /* PB_TRACE_GLOBS_H */
