/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Options that are too long for the environment: `patchbay record` writes them
 * to a file in the output directory, and PATCHBAY ends with selection=FILE.
 */
#ifndef PB_TRACE_SELECTION_H
#define PB_TRACE_SELECTION_H

#include <stddef.h>

/*
 * Put @value without selection=, and then the contents of the file, into
 * *@text, which the caller frees. Returns 0, -EINVAL (`patchbay record` did not
 * make the file), -EFBIG, -ENOMEM, or an error of open(2) or read(2). On error @why, of
 * @size bytes, has the reason.
 */
int pb_selection_read(const char *value, char **text, char *why, size_t size);

#endif /* PB_TRACE_SELECTION_H */
