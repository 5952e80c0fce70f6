/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes and names data files. May be called where sys.h's code may.
 */
#ifndef PB_TRACE_NEW_FILE_H
#define PB_TRACE_NEW_FILE_H

#include <limits.h>

/*
 * Make a new file without a name. Some file systems do not support that
 * (O_TMPFILE). There the file gets a name that readers ignore. Such a name may
 * exist already: from a process that was killed at this point, or from another
 * one with the same pid. @now: set to the name, or empty. Returns a descriptor
 * or -errno.
 */
int pb_new_file(const char *output, char now[PATH_MAX]);

/*
 * Each image that a process id runs has its own file, with the first free name.
 * The file gets its name when its header is complete, so no reader finds half
 * of it. @now: its current name, or empty if it has none. @name: set to the new
 * one. Returns 0 or -errno.
 */
int pb_name_new_file(int fd, const char *now, const char *output,
		     char name[PATH_MAX]);

#endif /* PB_TRACE_NEW_FILE_H */
