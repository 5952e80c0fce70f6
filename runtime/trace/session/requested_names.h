/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that PATCHBAY requests, and whether each matched a function. They
 * are in the data file from the first module with functions on, so that a user
 * with an empty recording finds the reason.
 */
#ifndef PB_TRACE_REQUESTED_NAMES_H
#define PB_TRACE_REQUESTED_NAMES_H

#include "format/format.h"

#include <stddef.h>

struct pb_asked;

/* Read the names from pb_options, unless checked=1. Returns 0 or -ENOMEM. */
int pb_asked_init(void);

/* Returns the element with this string of pb_options, or NULL. */
struct pb_asked *pb_asked_find(enum pbd_asked_by by, const char *text);

/*
 * Note, also in the file, that a module with functions exists, and whether
 * this name matched one of them. NULL is allowed. The caller does not hold the
 * session's lock.
 */
void pb_asked_match(struct pb_asked *glob, int matched);

/* Bytes that pb_asked_write() writes. */
size_t pb_asked_size(void);

/*
 * Write the names to a new data file. The caller holds the session's lock. May
 * be called where sys.h's code may. Returns 0 or -errno.
 */
int pb_asked_write(void);

/*
 * Write the globs without a match to @text, of @size bytes, as in
 * "filter='x*'". Returns their number, or 0 if the process has no module
 * with functions.
 */
size_t pb_asked_unmatched(char *text, size_t size);

/* Free the list: the recording is over, and no filter uses it any more. */
void pb_asked_forget(void);

#endif /* PB_TRACE_REQUESTED_NAMES_H */
