/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What PATCHBAY asks for by name, and whether there was any function of it: that
 * is in the data file from the first module on that has functions, so whoever
 * finds nothing there finds the reason.
 */
#ifndef PB_TRACE_GLOBS_H
#define PB_TRACE_GLOBS_H

#include "format.h"

#include <patchbay/patchbay.h>

/* Take down what pb_options names, unless checked=1. Returns 0 or -ENOMEM. */
int pb_globs_init(void);

/* A filter for @text, which is one of pb_options. */
struct patchbay_filter pb_glob_filter(enum pbd_asked_by by, const char *text);

/*
 * A filter for what matches any of @nr globs, any of @nr_others, or a name. @name tells
 * several such filters apart. Without a glob if there are none.
 */
struct pb_glob_list {
	const char *const *globs, *const *others;
	size_t nr, nr_others;
	const char *const *names; /* as they are in symbol tables */
	size_t nr_names;
	const char *const *sorted; /* of these there may be thousands */
	size_t nr_sorted;
};
struct patchbay_filter pb_glob_list_filter(const char *name,
					   struct pb_glob_list *list);

/* Bytes of what pb_globs_write() writes. */
size_t pb_globs_size(void);

/*
 * In a new data file; with the session's lock held, and where sys.h's code may be
 * called. Returns 0 or -errno.
 */
int pb_globs_write(void);

/*
 * Put those that match nothing into @text, of @size bytes, as in "filter='x*'".
 * Returns their number; 0, too, if the process has no module with functions.
 */
size_t pb_globs_unmatched(char *text, size_t size);

/* The recording is over: no filter has them any more. */
void pb_globs_forget(void);

#endif /* PB_TRACE_GLOBS_H */
