/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Waiting for handlers. A part of <patchbay/patchbay.h>.
 *
 * A caller that removes a tracer, or replaces its handler, may free the handler's data
 * afterwards, while a thread may be in the handler. So patchbay_disarm(),
 * patchbay_ops_destroy() and similar functions, patchbay_ops_update(),
 * patchbay_ops_disable() and patchbay_batch_commit() wait until all handlers that were
 * running have returned, including handlers of other tracers: the library only knows when
 * all have ended. Arming waits if an earlier wait failed when a function was disarmed, and
 * the function's old handlers are still running.
 *
 * Handlers are expected to be short. If a handler takes longer than the limit below,
 * struct patchbay_stats (<patchbay/inspect.h>) has the thread, and one of two
 * errors is returned:
 *
 * -ETIMEDOUT: the change is done, so no further thread enters an old handler. But a
 *         handler that was running may still be running, and the library keeps the
 *         data that it may use. To wait again, call patchbay_synchronize(), or
 *         patchbay_ops_destroy() again.
 * -EAGAIN: nothing has changed. A function to be armed was disarmed before,
 *         and its old handler is still running. Try again later.
 */
#ifndef PATCHBAY_WAITING_H
#define PATCHBAY_WAITING_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set the limit of a wait, in milliseconds. 0: do not wait. The limit applies to the
 * whole process, from the next wait on. May be called in any context.
 */
#define PATCHBAY_WAIT_LIMIT 10000u /* the default */
#define PATCHBAY_WAIT_FOREVER (~0u)

void patchbay_set_wait_limit(unsigned int milliseconds);

/*
 * Returns when every handler that was running at the time of the call has returned,
 * like synchronize_rcu() in Linux. -EDEADLK: called from a handler. -ETIMEDOUT:
 * patchbay_set_wait_limit(). Or an error of membarrier(2).
 */
int patchbay_synchronize(void);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_WAITING_H */
