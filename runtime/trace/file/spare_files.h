/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process makes spare files while it can. Its children use them after the
 * process has changed its user or its root directory and can make none. Spare
 * files are empty, and readers know their names (PBD_SPARE_SUFFIX).
 *
 * The process does not keep them open. Their descriptors wait in a socket, as
 * messages (unix(7), SCM_RIGHTS). The process keeps one end, and closes the
 * other one, so that nothing can be added. Children inherit it. A child that
 * needs a file receives one, and the kernel gives each to one receiver only. So
 * the lock of each file (flock(2)) lasts until its users have ended, as with
 * other data files.
 *
 * An attacker in such a process can receive the remaining files, write to them,
 * and truncate them. Truncation kills the processes that record in them: other
 * descendants that changed their user or root directory. The attacker can open
 * no other file of the recording in this way.
 *
 * Unused files belong to the recording and are deleted with it. `patchbay
 * record` deletes them earlier if no process can need them any more.
 */
#ifndef PB_TRACE_SPARE_FILES_H
#define PB_TRACE_SPARE_FILES_H

#include <limits.h>

/* Maximum number of spare files: enough for the usual children of one process. */
#define PB_SPARE_FILES 16

/*
 * Make spare files in directory @output, unless this process or an ancestor has
 * done so. If the process lacks the rights or descriptors, it makes fewer
 * files, or none. The caller holds the session's lock.
 */
void pb_spare_files_make(const char *output);

/*
 * Take a spare file. Returns a descriptor and its path in @path, or -errno.
 * -ENOENT: none is left. The caller holds the session's lock.
 */
int pb_spare_files_take(char path[PATH_MAX]);

#endif /* PB_TRACE_SPARE_FILES_H */
