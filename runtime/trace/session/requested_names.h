/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that PATCHBAY requests, and whether each name matched a function. The data file
 * lists them, so that a user with an empty recording finds misspelled names.
 */
#ifndef PB_TRACE_REQUESTED_NAMES_H
#define PB_TRACE_REQUESTED_NAMES_H

#include "format/format.h"

#include <stddef.h>

struct pb_asked;

/* Read the names from pb_options, unless checked=1. Returns 0 or -ENOMEM. */
int pb_asked_init(void);

/* Returns the element for @text, a pointer from pb_options, or NULL. */
struct pb_asked *pb_asked_find(enum pbd_asked_by by, const char *text);

/*
 * Note, also in the file, that a module with functions exists, and whether @glob matched a
 * function. @glob may be NULL. The caller does not hold the session's lock.
 */
void pb_asked_match(struct pb_asked *glob, int matched);

/* The number of bytes that pb_asked_write() writes. */
size_t pb_asked_size(void);

/*
 * Write the names to a new data file. The caller holds the session's lock. Handlers may
 * call this function. Returns 0 or -errno.
 */
int pb_asked_write(void);

/*
 * Write the globs without a match to @text, a buffer of @size bytes, in the format
 * "filter='x*'". Returns the number of such globs, or 0 if the process has no module with
 * functions.
 */
size_t pb_asked_unmatched(char *text, size_t size);

/* Free the list: the recording is over, and no filter uses it any more. */
void pb_asked_forget(void);

#endif /* PB_TRACE_REQUESTED_NAMES_H */
