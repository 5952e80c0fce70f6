/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process makes spare files before it changes its user or its root directory. Afterwards
 * its children cannot make files, and use the spare files instead. Spare files are empty,
 * and readers recognize their names (PBD_SPARE_SUFFIX).
 *
 * The descriptors of spare files are queued in a socket, as messages (unix(7), SCM_RIGHTS).
 * The process keeps one end of the socket, which children inherit, and closes the other
 * end, so that no message can be added. A child that needs a file receives a message, which
 * the kernel delivers only once. As with other data files, the lock of a spare file
 * (flock(2)) lasts until the last process that uses the file has ended.
 *
 * An attacker in such a process can receive the remaining files, write to them, and
 * truncate them. Truncating a file kills the processes that record in it: other descendants
 * that changed their user or root directory. All other files of the recording stay
 * inaccessible.
 *
 * Unused files belong to the recording and are deleted with it. `patchbay record` deletes
 * them when all processes that could take them have ended.
 */
#ifndef PB_TRACE_SPARE_FILES_H
#define PB_TRACE_SPARE_FILES_H

#include <limits.h>

/* The number of spare files: enough for the usual number of child processes. */
#define PB_SPARE_FILES 16

/*
 * Make spare files in directory @output, unless this process or an ancestor has made them.
 * Makes fewer files, or none, if the process lacks permission or descriptors. The caller
 * holds the session's lock.
 */
void pb_spare_files_make(const char *output);

/*
 * Take a spare file. Returns a descriptor, and the path in @path, or -errno. -ENOENT: no
 * spare file is left. The caller holds the session's lock.
 */
int pb_spare_files_take(char path[PATH_MAX]);

#endif /* PB_TRACE_SPARE_FILES_H */
