/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes that change their user, such as workers of a server that root has
 * started. Afterwards they may not open their data file, nor make one in root's
 * directory, and often cannot even find it. Processes that call chroot(2) have
 * the same problem. So this library makes the file before that, and keeps a
 * descriptor of it (pb_data_keep()). This is the one exception from the rule to
 * keep none. Its number is high, so the program does not see it unless it
 * searches. If the program closes it, events that do not fit into the file are
 * lost and counted, as with a full disk. This library does the same before a
 * program lowers its number of descriptors (RLIMIT_NOFILE), since the program
 * may use them all.
 *
 * The file keeps its owner. With the right to truncate it, a user could kill
 * each process that maps it. That includes a process that changes its user only
 * for a while. For the same reason a forked child closes the descriptor that
 * its parent has kept (pb_data_forget()).
 *
 * For children of such a process, files are set aside (spare_files.h). If these
 * are not enough, events of other children are counted as PBD_LOST_CHILD.
 *
 * This library wraps the C library's functions; syscall(2) is in sandbox.c. It
 * does not see a system call instruction of the program's own.
 */
#ifndef PB_TRACE_USER_H
#define PB_TRACE_USER_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * The calling thread is about to have this effective user; (uid_t)-1:
 * unchanged. May be called wherever the program may call setuid(2). Keeps
 * errno.
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
 * against RLIMIT_MEMLOCK, with which the program's own mappings could fail.
 */
void pb_memory_locks(int flags);

#endif /* PB_TRACE_USER_H */
