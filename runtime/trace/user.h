/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes that become another user, as a server's workers do that root has started:
 * from then on they may not open their data file, nor make one in root's directory, and
 * often cannot even find it; nor can those that call chroot(2). So before that happens
 * the file is made, and a descriptor of it is kept (pb_data_keep()): the one exception
 * from the rule that none is. It is of a high number, which the program does not get to
 * see unless it looks for it; if it closes it, what does not fit into the file is lost
 * and counted, as with a full disk. The same is done before a program lowers the number
 * of its descriptors (RLIMIT_NOFILE), as it may use them all.
 *
 * The file stays its owner's: who could truncate it could end every process that has it
 * mapped, also one that becomes another user only for a while. For the same reason a
 * forked child closes the descriptor that its parent has kept (pb_data_forget()).
 *
 * For children that such a process forks, files are set aside (spare_files.h). If these
 * are not enough, what the others would record is counted as PBD_LOST_CHILD.
 *
 * The C library's functions are in this library, too; syscall(2) is in sandbox.c. What is
 * done by an instruction of the program's own is not seen.
 */
#ifndef PB_TRACE_USER_H
#define PB_TRACE_USER_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * The calling thread is about to have this effective user; (uid_t)-1: the one that it
 * has. Called from wherever the program may do that. Keeps errno.
 */
void pb_user_changes(uid_t effective);

/* The same of a process that is about to have another root directory. */
void pb_root_changes(void);

/* And where process @pid, 0: this one, is about to have this limit; NULL: it is not. */
void pb_limit_changes(pid_t pid, int resource, const struct rlimit *limit);

#endif /* PB_TRACE_USER_H */
