/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that PATCHBAY asks for, and whether each matched a function. The
 * data file has this from the first module with functions on. So a user with an
 * empty recording finds the reason.
 */
#ifndef PB_TRACE_GLOBS_H
#define PB_TRACE_GLOBS_H

#include "format.h"

#include <patchbay/patchbay.h>

/* Read the names from pb_options, unless checked=1. Returns 0 or -ENOMEM. */
int pb_globs_init(void);

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

/* Bytes that pb_globs_write() writes. */
size_t pb_globs_size(void);

/*
 * Write the names to a new data file. The caller holds the session's lock. May
 * be called where sys.h's code may. Returns 0 or -errno.
 */
int pb_globs_write(void);

/*
 * Put globs without a match into @text, of @size bytes, as in "filter='x*'".
 * Returns their number. Returns 0 also if the process has no module with
 * functions.
 */
size_t pb_globs_unmatched(char *text, size_t size);

/* The recording is over, and no filter uses them any more. */
void pb_globs_forget(void);

#endif /* PB_TRACE_GLOBS_H */
