/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes and names data files. Handlers may call these functions. */
#ifndef PB_TRACE_NEW_FILE_H
#define PB_TRACE_NEW_FILE_H

#include <limits.h>

/*
 * Make a new file without a name (O_TMPFILE) or, if the file system lacks O_TMPFILE, with a
 * temporary name that readers ignore. A temporary name may be taken: another process with
 * the same pid uses it, or was killed before it renamed its file. Sets @now to the
 * temporary name, or to "". Returns a descriptor or -errno.
 */
int pb_new_file(const char *output, char now[PATH_MAX]);

/*
 * Give the file the first free name; each program that a process executes has its own file.
 * Call this when the header is complete, so that readers only find complete headers. @now
 * is the temporary name of pb_new_file(), or "". Sets @name to the new name. Returns 0 or
 * -errno.
 */
int pb_name_new_file(int fd, const char *now, const char *output,
		     char name[PATH_MAX]);

#endif /* PB_TRACE_NEW_FILE_H */
