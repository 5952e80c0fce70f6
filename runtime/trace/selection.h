/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Options that are too long for the environment: `patchbay record` puts them into a file
 * in the output directory, and PATCHBAY ends with selection=FILE.
 */
#ifndef PB_TRACE_SELECTION_H
#define PB_TRACE_SELECTION_H

#include <stddef.h>

/*
 * Put @value without selection=, and what the file holds, into *@text, which the caller
 * frees. Returns 0, -EINVAL (the file was not made by `patchbay record`), -ENOMEM or what
 * open(2) or read(2) returned; then @why, of @size bytes, says what is wrong.
 */
int pb_selection_read(const char *value, char **text, char *why, size_t size);

#endif /* PB_TRACE_SELECTION_H */
