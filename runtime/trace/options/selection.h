/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If the options are too long for the environment, `patchbay record` writes the rest to a
 * file in the output directory, and PATCHBAY ends with selection=FILE.
 */
#ifndef PB_TRACE_SELECTION_H
#define PB_TRACE_SELECTION_H

#include <stddef.h>

/*
 * Set *@text to @value without selection=, followed by the options in the file. The caller
 * frees *@text. Returns 0, -EINVAL (`patchbay record` did not make the file), -EFBIG,
 * -ENOMEM, or an error of open(2) or read(2). On error writes the reason to @why, of @size
 * bytes.
 */
int pb_selection_read(const char *value, char **text, char *why, size_t size);

#endif /* PB_TRACE_SELECTION_H */
