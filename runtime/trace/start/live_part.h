/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The only functions of live/ and budget/ that other folders call. In libpatchbay-trace.so
 * the stubs of no_live.c replace them.
 */
#ifndef PB_TRACE_LIVE_PART_H
#define PB_TRACE_LIVE_PART_H

#include <patchbay/patchbay.h>

/* Can this library listen? */
extern const int pb_can_listen;

/*
 * Start the listening thread. Also called in a forked child, because threads do not survive
 * fork() (fork.c), and possibly again after pb_listen_end(). @wait: return when clients can
 * connect. A constructor must not wait, because it holds the loader's lock. Returns 0 or
 * -errno.
 */
int pb_listen_start(int wait);

/*
 * Wait until the listening thread, if it exists, has opened its files. Call this before the
 * process gives up the right to open them. Waits at most PB_LISTEN_AWAIT_MS, because the
 * caller may be a constructor. Holds no lock and allocates no memory.
 */
#define PB_LISTEN_AWAIT_MS 1000
void pb_listen_await(void);

/*
 * End the listening thread, because the process restricts its system calls (control.h).
 * Returns 1 when the thread has ended, or 0, without a system call, if there was no thread.
 * The thread may be unable to end, for example while it runs the constructor of an attached
 * object. This function waits about PB_LISTEN_END_SECONDS, and then records -ETIME in the
 * data file.
 */
#define PB_LISTEN_END_SECONDS 10
int pb_listen_end(void);

/*
 * Called in a child of a process that has restricted its system calls: record why no thread
 * listens.
 */
void pb_listen_never(void);

/*
 * Begin to limit the rate and cost of functions (budget/budget.h). Does nothing without
 * max-rate= or max-overhead=. @check: as in the tracer's struct patchbay_ops_attr. Returns
 * 0 or -errno.
 */
int pb_budget_begin(int (*check)(void *arg, const struct patchbay_target *target));
/* Tell the budget which functions the caller has just armed or disarmed. */
void pb_budget_arm(const struct patchbay_filter *which, unsigned int flags);
void pb_budget_disarm(const struct patchbay_filter *which);
/* Call this in a forked child before the budget's first check. */
void pb_budget_forked(void);
/* Returns 0, or an error of patchbay_ops_destroy(). */
int pb_budget_undo(void);

#endif /* PB_TRACE_LIVE_PART_H */
