/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files of other processes. Handlers must not call this code. */
#ifndef PB_TRACE_READ_FILE_H
#define PB_TRACE_READ_FILE_H

#include <stddef.h>

/*
 * Read all of @file into *@bytes, which the caller frees, and set *@size. Returns 0 or
 * -EINVAL: the file is no regular file (reading might block forever), is empty, or
 *          became shorter
 * -EFBIG:  the file has more than @max bytes, and could use up the program's
 *          memory
 * -ENOMEM, or an error of reading
 */
int pb_read_file(int file, size_t max, char **bytes, size_t *size);

#endif /* PB_TRACE_READ_FILE_H */
