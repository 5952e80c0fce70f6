/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes that change their user, such as workers of a server that root has
 * started. Afterwards they may neither open their data file nor make one in
 * root's directory. After chroot(2) they cannot even find it. So this library
 * makes the file before that, and keeps a descriptor of it (pb_data_keep()).
 * This is the only descriptor that it keeps. The number is high, so that the
 * program is unlikely to use it. If the program closes the descriptor, events
 * that do not fit into the file are lost and counted, as with a full disk. This
 * library also keeps a descriptor before a program lowers RLIMIT_NOFILE, since
 * the program may use all descriptors that are left.
 *
 * The file's owner does not change: a user that could truncate the file could
 * kill each process that maps it, even one that has changed its user only for a
 * while. For the same reason a forked child closes the descriptor that its
 * parent has kept (pb_data_forget()).
 *
 * Children of such a process use spare files (spare_files.h). If there are not
 * enough, events of the other children are counted as PBD_LOST_CHILD.
 *
 * This file wraps the C library's functions, and sandbox.c wraps syscall(2). System
 * call instructions of the program itself are not seen.
 */
#ifndef PB_TRACE_USER_H
#define PB_TRACE_USER_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * Call before the calling thread changes its effective user to this;
 * (uid_t)-1: unchanged. May be called wherever the program may call
 * setuid(2). Preserves errno.
 */
void pb_user_changes(uid_t effective);

/* The process is about to change its root directory. */
void pb_root_changes(void);

/*
 * The process is about to become undumpable (PR_SET_DUMPABLE). It may not open
 * its own text from then on, so the listening thread must open it before.
 */
void pb_dumpable_changes(void);

/* Process @pid, 0: this one, is about to get this limit; NULL: unchanged. */
void pb_limit_changes(pid_t pid, int resource, const struct rlimit *limit);

/*
 * The process is about to call mlockall(2). Memory of this library should not count
 * against RLIMIT_MEMLOCK, because then mappings of the program could fail.
 */
void pb_memory_locks(int flags);

#endif /* PB_TRACE_USER_H */
