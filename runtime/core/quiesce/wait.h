/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for handlers, with a timeout. */
#ifndef PB_CORE_WAIT_H
#define PB_CORE_WAIT_H

#include <stdint.h>

/*
 * Wait until every handler that was running at the time of the call has returned.
 * Handlers that are entered during the wait see all stores made before the call.
 * Returns 0, -EDEADLK from within a handler, -ETIMEDOUT after the limit of
 * patchbay_set_wait_limit(), or an error of membarrier(2).
 *
 * The caller holds the caller lock and no other lock of lock.h: handlers may wait for
 * threads that need those.
 */
int pb_wait(void);

/*
 * Returns the last phase, at most @phase, whose handlers have all returned
 * (pb_quiesce_until()). Does not wait. From time to time it also looks closely, for
 * abandoned handlers. Otherwise a sleeping thread that has abandoned a handler would
 * block all deferred work. *@looked is the time of the last close look, initially 0. Each
 * call site has its own @looked: with a shared one, only the first would look closely.
 *
 * The caller holds the change lock and not the engine lock: a close look makes system
 * calls.
 */
uint64_t pb_over_until(uint64_t phase, int64_t *looked);

#endif /* PB_CORE_WAIT_H */
