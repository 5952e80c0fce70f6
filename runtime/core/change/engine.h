/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Carries out batches: publish the cells of the plan (plan.h), sync, arm the sites. The
 * caller holds the caller lock and the change lock (lock.h) and is not in a handler. These
 * functions may release the change lock for a while.
 */
#pragma once

#include "change/plan.h"
#include "change/settle.h"

/*
 * Carry out all of @requests, or none. On success their counts are set, filters for future
 * modules are added or removed, and no thread is in a handler that was disarmed.
 *
 * Returns 0 or an error of patchbay_arm(). On error nothing has changed; -EAGAIN means that
 * old handlers of a function to arm again did not return in time. Exception: if only the wait
 * after the change fails (-ETIMEDOUT, or an error of membarrier(2)), the change is made, but
 * an old handler may still be running (settle.h).
 */
int pb_engine_commit(struct pb_request *requests);

/*
 * pb_engine_module_added() arms the tracers with filters for future modules.
 * pb_engine_module_leaving(), under the engine lock, makes the module's functions call no
 * more handlers. Neither needs the caller lock, and neither waits.
 */
void pb_engine_module_added(struct pb_module *module);
void pb_engine_module_leaving(struct pb_module *module);

/* The fields of a tracer that may change while it is armed. */
struct pb_ops_change {
	patchbay_handler handler, exit;
	int disabled;
};

/*
 * Enable, disable or update @ops, which stays armed on the same functions: apply @change to
 * @ops and to all its cells. Writes no text. Then waits until no thread is in the old
 * handlers. Returns 0; -ENOMEM, and nothing has changed; or an error of the wait, as
 * pb_engine_commit() does. The caller holds the locks of pb_engine_commit().
 */
int pb_retarget(struct patchbay_ops *ops, const struct pb_ops_change *change);

/*
 * The bulk path cannot handle the request: make a plan, which carries it out or finds the
 * error to return. Nothing has changed.
 */
#define PB_NOT_BULK 2

/* Like pb_engine_commit(), for all modules, or for @only. May also return PB_NOT_BULK. */
#if __has_include("arch_bulk.h")
int pb_bulk_commit(struct pb_request *requests, struct pb_module *only,
		   enum pb_wait wait);
#else
#define pb_bulk_commit(requests, only, wait) PB_NOT_BULK
#endif
