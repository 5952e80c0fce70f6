/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that begins or ends a visited recording (visit.h) changes memory that a forked
 * child would inherit half changed. It keeps other threads from forking meanwhile.
 *
 * Both sides wait for a limited time only. A forking thread may hold a lock that the changing
 * thread needs, such as the loader's in a constructor. A fork may also never end for us, if a
 * signal handler leaves it by siglongjmp(). A child that was forked during a change
 * knows this by pb_fork_is_changing(), and must not touch the recording.
 */
#ifndef PB_TRACE_FORK_LOCK_H
#define PB_TRACE_FORK_LOCK_H

/* Wait until no thread forks, at most a second, and keep others from forking. */
void pb_fork_change(void);
void pb_fork_changed(void);

/* Handlers of pthread_atfork(3), which the C library calls in the forking thread. */
void pb_fork_prepare(void);
void pb_fork_parent(void);

/* In the child: was the recording being changed? */
int pb_fork_is_changing(void);

#endif /* PB_TRACE_FORK_LOCK_H */
