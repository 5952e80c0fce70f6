/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for handlers, for so long and no longer. */
#ifndef PB_CORE_WAIT_H
#define PB_CORE_WAIT_H

#include <stdint.h>

/*
 * Return when every handler that was running at the time of the call has
 * returned. Handlers that are entered meanwhile see what was stored before.
 * Returns 0, -EDEADLK from within a handler, -ETIMEDOUT when it has waited as long
 * as patchbay_set_wait_limit() says, or an error of membarrier(2).
 *
 * The caller holds the caller lock and neither of the others (lock.h): handlers may
 * be waiting for threads that need those.
 */
int pb_wait(void);

/*
 * Up to which phase, at most @phase, handlers are over (pb_quiesce_until()). Does not
 * wait, but for now and then looks whether handlers were left: else one thread that
 * left a handler, and sleeps, would keep whatever is put off until handlers are over.
 * *@looked is when that was, 0 at first. Each who asks has his own: who asks first
 * would else be the only one that is told.
 *
 * The caller holds the change lock, and not the engine lock: a closer look takes
 * system calls.
 */
uint64_t pb_over_until(uint64_t phase, int64_t *looked);

#endif /* PB_CORE_WAIT_H */
