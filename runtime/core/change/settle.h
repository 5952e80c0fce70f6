/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deferred reclamation of retired sets and cells, which threads in handlers may still use.
 * As with call_rcu() in Linux, sets and cells stay for a grace period: until all handlers that
 * were running at its beginning have returned. A later pb_settle_what_is_over() frees the sets
 * and cells. A caller that needs the end of the grace period calls pb_settle(), which waits.
 *
 * The caller holds the change lock, and holds the engine lock only where a comment says so.
 * Functions that wait need the caller lock, too, and release the change lock during the wait.
 * Modules may be loaded and unloaded during the wait. The memory of unloaded modules stays
 * until the caller lock is free (module.c).
 */
#pragma once

#include "change/plan.h"

/* Does the caller wait for the handlers of the tracers that it disarms? */
enum pb_wait { PB_NO_WAIT, PB_WAIT };

/*
 * Under the engine lock: free @set after a grace period. No new handler can reach it. Ignores
 * NULL and pb_set_nobody.
 */
void pb_retire(struct pb_set *set);

/*
 * Under the engine lock: the set was never published, and needs no grace period.
 * pb_free_unseen() frees it later, without the lock.
 */
void pb_retire_unseen(struct pb_set *set);
void pb_free_unseen(void);

/* Free a list of sets that no thread can reach. Not under the engine lock. */
void pb_free_sets(struct pb_set *set);

/*
 * Under the engine lock: record that some cells of @module need settling. @planned: the plan
 * that is being applied lists all of these cells.
 */
void pb_mark_unsettled(struct pb_module *module, int planned);

/* The number of unloaded modules. Threads may still be in handlers of their functions. */
extern uint64_t pb_modules_gone;

/*
 * Copy @from to a cell that no thread is inside of. Stores @enter last: a thread that loaded
 * the slot earlier, and was delayed in the trampoline, may read the cell at any time.
 */
void pb_fill_cell(struct patchbay_cell *cell, struct patchbay_cell from);

/* Mark an empty cell as free for other tracers. No thread is inside the cell. */
void pb_release_cell(struct patchbay_cell *cell);

/* Free sets and cells whose grace period is over. Does not wait. */
void pb_settle_what_is_over(void);

/*
 * Wait for handlers. Then settle the changes of @plan, which may be NULL, and all deferred sets
 * and cells. Returns 0 or an error of pb_wait(); on error all of these stay deferred.
 */
int pb_settle(const struct pb_plan *plan);

/*
 * If any cell is deferred, wait for handlers and settle all cells. @gone: wait for handlers of
 * functions in unloaded modules, too. Returns 0 or an error of pb_wait().
 */
int pb_settle_all(int gone);
