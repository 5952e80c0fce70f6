/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prevents fork() while the child would inherit a state that none of its threads can
 * complete:
 *  - memory that a thread changes when it begins or ends a visited recording (visit.h);
 *  - locks of the loader and of the allocator that the listening thread holds. A
 *    program's own threads may hold them at a fork, too, but not in a program with one
 *    thread.
 *
 * Both sides wait for a limited time only. A forking thread may hold a lock that the
 * other thread needs, such as the loader's in a constructor. A fork may also never end
 * here, if a signal handler leaves it by siglongjmp(). In a child that was forked during
 * a change, pb_fork_child() returns 1, and the child must not touch the recording.
 */
#ifndef PB_TRACE_FORK_LOCK_H
#define PB_TRACE_FORK_LOCK_H

/* Wait until no thread forks, at most a second, and keep others from forking. */
void pb_fork_change(void);
void pb_fork_changed(void);

/* The listening thread begins or ends work: the same, but waits at most 0.1 s. */
void pb_fork_work(void);
void pb_fork_worked(void);

/* Before and after fork(), in the forking thread. Calls may be nested. */
void pb_fork_prepare(void);
void pb_fork_parent(void);

/* In the child: was the recording being changed? A second call returns 0. */
int pb_fork_child(void);

#endif /* PB_TRACE_FORK_LOCK_H */
