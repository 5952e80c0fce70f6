/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files that are set aside while a process still may make some, for children that it
 * forks when it no longer may: because it has become another user, or has another root
 * directory. They are empty, and have names that readers know (PBD_SPARE_SUFFIX).
 *
 * They are not open in the process: their descriptors wait in a socket, as messages
 * (unix(7), SCM_RIGHTS). Of that, one end is kept, and the other one is closed, so that
 * nothing is added. Children inherit it; whoever needs a file receives one, and the
 * kernel sees to it that nobody else does. So the lock that each file has (flock(2)) is
 * gone when those have ended that it is of, as with other data files.
 *
 * Whoever takes over such a process can receive the files that are left, write to them,
 * and truncate them: that ends who records in them. These are descendants that had lost
 * the same rights, or a different root directory; and nothing else of the recording can
 * be opened by it.
 *
 * What is left over belongs to the recording, and is deleted with it, or by `patchbay
 * record` when nobody can need it any more.
 */
#ifndef PB_TRACE_SPARE_FILES_H
#define PB_TRACE_SPARE_FILES_H

#include <limits.h>

/* So many at most: what children of one process can be expected to take. */
#define PB_SPARE_FILES 16

/*
 * Set them aside in directory @output, unless that was done, by this process or one
 * that it descends from. Without the right to do so, or descriptors, there are fewer,
 * or none. With the session's lock held.
 */
void pb_spare_files_make(const char *output);

/*
 * Take one. Returns a descriptor, and what it is called in @path, or -errno: -ENOENT
 * if none is left. With the session's lock held.
 */
int pb_spare_files_take(char path[PATH_MAX]);

#endif /* PB_TRACE_SPARE_FILES_H */
