/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The only functions of live/ and budget/ that other folders call. libpatchbay-trace.so has
 * those of no_live.c instead, which do nothing.
 */
#ifndef PB_TRACE_LIVE_PART_H
#define PB_TRACE_LIVE_PART_H

#include <patchbay/patchbay.h>

/* Can this library listen? */
extern const int pb_can_listen;

/*
 * Start a thread that listens. Also called in a forked child, which does not have its
 * parent's thread (fork.c), and possibly again after pb_listen_end(). @wait: return when
 * clients can connect. A constructor must not wait, because it holds the loader's lock.
 * Returns 0 or -errno.
 */
int pb_listen_start(int wait);

/*
 * Wait until the thread, if it exists, has opened its files. Call it before the process
 * gives up the right to open them. Returns after PB_LISTEN_AWAIT_MS in any case, since
 * the caller may be a constructor. Holds no lock and allocates nothing.
 */
#define PB_LISTEN_AWAIT_MS 1000
void pb_listen_await(void);

/*
 * Stop listening, because the process restricts itself (control.h). Returns 1 when the
 * thread has ended, or 0 without a system call if there is none. The thread may be unable to
 * end, for example while it runs the constructor of an object that it attaches. This waits
 * about PB_LISTEN_END_SECONDS, and then records -ETIME in the data file.
 */
#define PB_LISTEN_END_SECONDS 10
int pb_listen_end(void);

/* In a child of a process that has restricted itself: record why no thread listens. */
void pb_listen_never(void);

/*
 * Begin to limit the rate and cost of functions (budget/budget.h). Does nothing without
 * max-rate= or max-overhead=. @check: the @check of the tracer. Returns 0 or -errno.
 */
int pb_budget_begin(int (*check)(void *arg, const struct patchbay_target *target));
/*
 * Count the functions that the caller has just armed, or stop counting those that it has
 * just disarmed.
 */
void pb_budget_arm(const struct patchbay_filter *which, unsigned int flags);
void pb_budget_disarm(const struct patchbay_filter *which);
/* Call in a forked child before its first look. */
void pb_budget_forked(void);
/* Returns 0, or an error of patchbay_ops_destroy(). */
int pb_budget_undo(void);

#endif /* PB_TRACE_LIVE_PART_H */
