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
 * lock of the loader. Also again, after pb_listen_end(). Returns 0 or -errno.
 */
int pb_listen_start(int wait);

/* Look now, not when it is time to: for handlers. Does nothing if nobody listens. */
void pb_listen_wake(void);

/* Whether clients can connect; after pb_listen_start(1). */
int pb_listens(void);

/*
 * Return when that thread, if there is one, has opened what it needs: for whoever is
 * about to give up the right to. After PB_LISTEN_AWAIT_MS in any case, as the caller may
 * be a constructor. Keeps no lock, and allocates nothing.
 */
#define PB_LISTEN_AWAIT_MS 1000
void pb_listen_await(void);

/*
 * Listen no more: the process restricts itself (control.h). Returns 1 when the thread
 * is gone, or 0 at once, without a system call, if there is none. A thread that is
 * kept from ending, as by a constructor of what it attaches, is waited for about
 * PB_LISTEN_END_SECONDS; then that is noted in the data file, as -ETIME.
 */
int pb_listen_end(void);
#define PB_LISTEN_END_SECONDS 10

/* In a child of a process that has restricted itself: say why nobody listens. */
void pb_listen_never(void);

#endif /* PB_TRACE_LISTEN_H */
