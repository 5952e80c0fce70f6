/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Making it so: the plan of a batch (plan.h) is published, synced, armed. The
 * caller holds the caller lock and the change lock (lock.h) and is not in a
 * handler. These functions may let go of the change lock for a while.
 */
#ifndef PB_CORE_ENGINE_H
#define PB_CORE_ENGINE_H

#include "change/plan.h"
#include "change/settle.h"

/*
 * Carry out @requests, all or none. Afterwards their counts are set, filters
 * for modules to come are kept or forgotten, and no thread is in a
 * handler on behalf of what was disarmed.
 *
 * Returns 0 or an error of patchbay_arm(), with nothing changed; one of these is
 * -EAGAIN, if it waited in vain for handlers of what is to be armed again. If it is
 * waiting afterwards that failed, because it took too long, which is -ETIMEDOUT, or
 * by membarrier(2), everything is as asked for, but a handler may be running
 * (settle.h).
 */
int pb_engine_commit(struct pb_request *requests);

/*
 * A module came: arm what tracers wait for. One goes: none of its functions
 * calls a handler from now on; under the engine lock. These do not wait, and need
 * no caller lock.
 */
void pb_engine_module_added(struct pb_module *module);
void pb_engine_module_leaving(struct pb_module *module);

#endif /* PB_CORE_ENGINE_H */
