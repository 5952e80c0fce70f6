/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Delays fork() while the child would inherit a state that it cannot complete:
 *  - memory that a thread changes when it begins or ends a visited recording (visit.h);
 *  - locks of the loader and of the allocator that the listening thread holds. (Other
 *    threads of the program may also hold them at a fork, but a program with one
 *    thread has none.)
 *
 * Both sides wait for a limited time only, for two reasons. A forking thread may hold a
 * lock that the other thread needs, such as the loader's in a constructor. And
 * pb_fork_parent() is never called if a signal handler leaves the fork by siglongjmp().
 * In a child that was forked during a change, pb_fork_child() returns 1, and the child
 * must not touch the recording.
 */
#ifndef PB_TRACE_FORK_LOCK_H
#define PB_TRACE_FORK_LOCK_H

/*
 * Begin and end a change of the recording: delays forks of other threads.
 * pb_fork_change() waits until no thread forks, at most a second.
 */
void pb_fork_change(void);
void pb_fork_changed(void);

/* The same for each piece of work of the listening thread, but waits at most 0.1 s. */
void pb_fork_work(void);
void pb_fork_worked(void);

/* Before and after fork(), in the forking thread. Calls may be nested. */
void pb_fork_prepare(void);
void pb_fork_parent(void);

/* In the child: was the recording being changed? A second call returns 0. */
int pb_fork_child(void);

#endif /* PB_TRACE_FORK_LOCK_H */
