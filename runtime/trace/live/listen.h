/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that listens for clients (control.h). It answers only clients that
 * have proven that they may ptrace this process.
 */
#ifndef PB_TRACE_LISTEN_H
#define PB_TRACE_LISTEN_H

/* Time limit for a client to accept data. */
#define PB_PATIENCE_SECONDS 2

/*
 * Start a thread that listens. Also called in a forked child, which does not
 * have its parent's thread (fork.c), and possibly again after pb_listen_end().
 * @wait: return when clients can connect. A constructor must not wait, because
 * it holds the loader's lock. Returns 0 or -errno.
 */
int pb_listen_start(int wait);

/* Can clients connect? Meaningful after pb_listen_start(1). */
int pb_listens(void);

/*
 * Wait until the thread, if it exists, has opened its files. Call it before the process
 * gives up the right to open them. Returns after PB_LISTEN_AWAIT_MS in any case, since
 * the caller may be a constructor. Holds no lock and allocates nothing.
 */
#define PB_LISTEN_AWAIT_MS 1000
void pb_listen_await(void);

/*
 * Stop listening, because the process restricts itself (control.h). Returns 1
 * when the thread has ended, or 0 without a system call if there is none. The
 * thread may be unable to end, for example while it runs the constructor of an
 * object that it attaches. This waits about PB_LISTEN_END_SECONDS, and then
 * records -ETIME in the data file.
 */
int pb_listen_end(void);

/* In a child of a process that has restricted itself: record why no thread listens. */
void pb_listen_never(void);

#endif /* PB_TRACE_LISTEN_H */
