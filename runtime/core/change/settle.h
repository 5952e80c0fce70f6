/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deferred reclamation of retired sets and cells. Threads may still be in handlers that
 * use them. As with call_rcu() in Linux, the library keeps them until all handlers that
 * were running at the time have returned. A later pb_settle_what_is_over() then frees
 * the sets and the cells. A caller that must know when this is done calls pb_settle(),
 * which waits.
 *
 * The caller holds the change lock. It holds the engine lock only where a comment says
 * so. Functions that wait need the caller lock, too, and release the change lock during
 * the wait. Modules may be loaded and unloaded in that time. The memory of unloaded
 * modules stays until the caller lock is free (module.c).
 */
#ifndef PB_CORE_SETTLE_H
#define PB_CORE_SETTLE_H

#include "change/plan.h"

/* Does the caller that disarms tracers wait for their handlers, or defer that? */
enum pb_wait { PB_NO_WAIT, PB_WAIT };

/*
 * Under the engine lock. No new handler can reach @set. Ignores NULL and pb_set_nobody,
 * which need no freeing.
 */
void pb_retire(struct pb_set *set);

/* Under the engine lock. The set was never published: free it without a grace period. */
void pb_retire_unseen(struct pb_set *set);
void pb_free_unseen(void);

/* Free a list of sets that no thread can reach. Not under the engine lock. */
void pb_free_sets(struct pb_set *set);

/*
 * Under the engine lock: record that cells of @module need settling. @planned: the plan
 * that is being applied knows all of them.
 */
void pb_mark_unsettled(struct pb_module *module, int planned);

/* Counts unloaded modules. Threads may still be in handlers on behalf of them. */
extern uint64_t pb_modules_gone;

/*
 * Write @from into a cell that no thread is inside of. Writes @enter last: a thread that
 * loaded the slot earlier, on its way into a trampoline, may read it at any time.
 */
void pb_fill_cell(struct patchbay_cell *cell, struct patchbay_cell from);

/* Free an empty cell, which no thread is inside of, for other tracers. */
void pb_release_cell(struct patchbay_cell *cell);

/* Free sets and cells whose grace period is over. Does not wait. */
void pb_settle_what_is_over(void);

/*
 * Wait for handlers. Then settle the changes of @plan, if it is not NULL, and all that
 * was deferred. Returns 0 or an error of pb_wait(); on error everything stays deferred.
 */
int pb_settle(const struct pb_plan *plan);

/*
 * Wait for handlers if any cell is deferred, and settle. @gone: also wait for handlers on
 * behalf of unloaded modules. Returns 0 or an error of pb_wait().
 */
int pb_settle_all(int gone);

#endif /* PB_CORE_SETTLE_H */
