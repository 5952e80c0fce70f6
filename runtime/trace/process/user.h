/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles processes that change their user, such as workers of a server that root has
 * started. After the change they lack permission to open their data file, or to make a file
 * in root's directory. After chroot(2), with other
 * mounts, or with Landlock, the directory is inaccessible. So this library makes
 * the file before the change, and keeps a descriptor of the file (pb_data_keep()), with a
 * high number that the program is unlikely to use. If the program closes the descriptor,
 * events that do not fit into the file are lost and counted, as with a full disk. This
 * library also keeps a descriptor when a program lowers RLIMIT_NOFILE, because the program
 * may use up all descriptors.
 *
 * The file keeps its owner: a user that could truncate the file could kill each process
 * that maps it, even a process that has changed its user only for a while. For the same
 * reason a forked child closes the descriptor that its parent has kept (pb_data_forget()).
 *
 * Children of such a process use spare files (spare_files.h). Events of children without a
 * file are counted as PBD_LOST_CHILD.
 *
 * user.c wraps functions of the C library, and sandbox.c wraps syscall(2). System call
 * instructions of the program itself stay unnoticed.
 */
#ifndef PB_TRACE_USER_H
#define PB_TRACE_USER_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * Call this before the calling thread changes its effective user to @effective; (uid_t)-1:
 * unchanged. May be called wherever the program may call setuid(2). Preserves errno.
 */
void pb_user_changes(uid_t effective);

/* Call this before the process changes its root directory, mounts or Landlock rules. */
void pb_root_changes(void);

/* Call this before the process changes namespaces. @flags: their types; 0: unknown. */
void pb_namespace_changes(int flags);

/*
 * Call this before the process becomes undumpable (PR_SET_DUMPABLE), after which it cannot
 * open /proc/thread-self/mem. Waits until the listening thread has opened that file.
 */
void pb_dumpable_changes(void);

/*
 * Call this before setrlimit(2) or prlimit(2). @pid 0: this process. @limit NULL:
 * unchanged.
 */
void pb_limit_changes(pid_t pid, int resource, const struct rlimit *limit);

/*
 * Call this before mlockall(2). Keeps memory of this library from counting against
 * RLIMIT_MEMLOCK, because mappings of the program could fail otherwise.
 */
void pb_memory_locks(int flags);

#endif /* PB_TRACE_USER_H */
