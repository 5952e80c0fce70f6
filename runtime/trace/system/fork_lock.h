/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Delays fork() while the child would inherit a state that it cannot complete:
 *  - memory that a thread changes when it begins or ends a visited recording (visit.h);
 *  - locks of the loader and of the allocator that the listening thread holds. (A program
 *    with one thread may rely on these locks being free in the child.)
 *
 * All waits are limited, for two reasons. A forking thread may hold a lock that the other
 * thread needs, such as the loader's lock in a constructor. If a signal handler leaves the
 * fork by siglongjmp(), pb_fork_parent() is never called. If a child was forked during a
 * change, pb_fork_child() returns 1, and the child must not touch the recording.
 */
#ifndef PB_TRACE_FORK_LOCK_H
#define PB_TRACE_FORK_LOCK_H

/*
 * Begin and end a change of the recording; in between, forks of other threads wait.
 * pb_fork_change() waits until no thread forks, at most a second.
 */
void pb_fork_change(void);
void pb_fork_changed(void);

/*
 * Like these two, for each work item of the listening thread. pb_fork_work() waits at most
 * 0.1 s.
 */
void pb_fork_work(void);
void pb_fork_worked(void);

/* Called before and after fork(), in the forking thread. Calls may be nested. */
void pb_fork_prepare(void);
void pb_fork_parent(void);

/*
 * Called in the child. Returns 1 if the fork happened during a change of the recording. A
 * second call returns 0.
 */
int pb_fork_child(void);

#endif /* PB_TRACE_FORK_LOCK_H */
