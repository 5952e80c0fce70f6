/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that listens for clients (control.h), and lets only those be
 * answered that have proven that they may ptrace this process.
 */
#ifndef PB_TRACE_LISTEN_H
#define PB_TRACE_LISTEN_H

/* How long a client may take to send its request, or to take what it is sent. */
#define PB_PATIENCE_SECONDS 2

/*
 * Listen, in a thread. In a forked child, too, whose parent's thread it does not have
 * (fork.c). @wait: return when clients can connect; not for a constructor, within the
 * lock of the loader. Returns 0 or -errno.
 */
int pb_listen_start(int wait);

/*
 * Listen no more: a filter of system calls is about to come into force for all
 * threads, and would be the end of the process when the next client connects.
 * Returns when the thread is gone, which takes a second at most.
 */
void pb_listen_end(void);

#endif /* PB_TRACE_LISTEN_H */
