/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes and names data files. May be called where sys.h's code may.
 */
#ifndef PB_TRACE_NEW_FILE_H
#define PB_TRACE_NEW_FILE_H

#include <limits.h>

/*
 * Make a new file without a name (O_TMPFILE). If the file system does not
 * support that, give it a temporary name that readers ignore. The first
 * temporary name may exist: another process with the same pid uses it, or was
 * killed before it renamed the file. @now: set to the temporary name, or
 * empty. Returns a descriptor or -errno.
 */
int pb_new_file(const char *output, char now[PATH_MAX]);

/*
 * Give the file the first free name. Each image that a process id runs has its
 * own file. Call this when the header is complete, so that no reader finds an
 * incomplete file. @now: its current name, or empty if it has none. @name: set
 * to the new one. Returns 0 or -errno.
 */
int pb_name_new_file(int fd, const char *now, const char *output,
		     char name[PATH_MAX]);

#endif /* PB_TRACE_NEW_FILE_H */
