/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that a client of `patchbay live` has opened. Not for handlers. */
#ifndef PB_TRACE_READ_FILE_H
#define PB_TRACE_READ_FILE_H

#include <stddef.h>

/*
 * Read all of @file into *@bytes, which the caller frees, and *@size. Returns 0 or
 * -EINVAL: no regular file (another could be waited for without end), or empty,
 *          or it became shorter
 * -EFBIG:  more than @max bytes: what a client sends by mistake must not take the
 *          program's memory
 * -ENOMEM, and what reading returned
 */
int pb_read_file(int file, size_t max, char **bytes, size_t *size);

#endif /* PB_TRACE_READ_FILE_H */
