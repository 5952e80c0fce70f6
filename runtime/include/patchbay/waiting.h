/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Waiting for handlers. A part of <patchbay/patchbay.h>.
 *
 * Who takes a tracer away, or exchanges what it calls, wants to free something then,
 * and a thread may be in the handler. So the functions that do this wait until every
 * handler has returned that was running, of whatever tracer: it is known of all of
 * them together which ones are over. These functions are patchbay_disarm(),
 * patchbay_ops_destroy() and those like them, patchbay_ops_update(),
 * patchbay_ops_disable(), patchbay_batch_commit(). Arming waits if the library
 * waited in vain when a function was disarmed, and the function's former handlers are
 * still running.
 *
 * Handlers are expected to be short. Where one takes longer than the limit below
 * struct patchbay_stats (<patchbay/inspect.h>) says which thread it is, and one of
 * two errors is returned:
 *
 * -ETIMEDOUT: it is done, but not quiet yet. All is as it was asked for, and no
 *         handler is entered any more that should not be; but one that was running
 *         may be running still, and what it may be using is kept. To wait once
 *         more, call patchbay_synchronize(), or patchbay_ops_destroy() again.
 * -EAGAIN: nothing was changed. A function was to be armed that had been disarmed,
 *         and a handler that it had then is still running. Try again later.
 */
#ifndef PATCHBAY_WAITING_H
#define PATCHBAY_WAITING_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How long one waits, in milliseconds, before it gives up. 0: not at all. It holds for
 * the whole process, from the next wait on. May be called from anywhere.
 */
#define PATCHBAY_WAIT_LIMIT 10000u /* unless it is set */
#define PATCHBAY_WAIT_FOREVER (~0u)

void patchbay_set_wait_limit(unsigned int milliseconds);

/*
 * Return when every handler that was running at the time of the call has returned,
 * as synchronize_rcu() in Linux does. -EDEADLK: called from a handler. -ETIMEDOUT:
 * patchbay_set_wait_limit(). Or an error of membarrier(2).
 */
int patchbay_synchronize(void);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_WAITING_H */
