/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files of other processes. Handlers must not call this code. */
#ifndef PB_TRACE_READ_FILE_H
#define PB_TRACE_READ_FILE_H

#include <stddef.h>

/*
 * Read all of @file into *@bytes, which the caller frees, and *@size. Returns 0 or
 * -EINVAL: no regular file (reading another might block forever), or empty,
 *          or it became shorter
 * -EFBIG:  more than @max bytes: a wrong file must not use up the program's memory
 * -ENOMEM, or an error of reading
 */
int pb_read_file(int file, size_t max, char **bytes, size_t *size);

#endif /* PB_TRACE_READ_FILE_H */
