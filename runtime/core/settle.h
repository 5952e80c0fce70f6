/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What has been taken out of use, while threads may still be in handlers that use
 * it: sets of tracers, which are to be freed, and cells, which others are to have.
 * It is kept until all handlers are over that were running at the time, as by
 * call_rcu() in Linux; then whoever comes next sees to it. Whoever wants to know
 * that it is so waits.
 *
 * The caller holds the change lock, and the engine lock only where that is said;
 * where there is waiting, the caller lock, too, and the change lock is let go of
 * meanwhile. Modules may come and go then; the memory of those stays until the
 * caller lock is free (module.c).
 */
#ifndef PB_CORE_SETTLE_H
#define PB_CORE_SETTLE_H

#include "plan.h"

/* Does whoever takes tracers away wait for their handlers, or is it left for later? */
enum pb_wait { PB_NO_WAIT, PB_WAIT };

/* Under the engine lock. Nobody finds @set any more; NULL and pb_set_nobody are none. */
void pb_retire(struct pb_set *set);

/* Under the engine lock. Nobody has ever found it. */
void pb_retire_unseen(struct pb_set *set);
void pb_free_unseen(void);

/*
 * Under the engine lock: cells of @module are to be settled. @planned: those that a
 * plan knows which is being carried out.
 */
void pb_mark_unsettled(struct pb_module *module, int planned);

/* How many modules have gone, maybe with threads in handlers on behalf of them. */
extern uint64_t pb_modules_gone;

/*
 * Write @from into a cell that nobody is inside of. The way in comes last: threads
 * on the way into a trampoline since before may read it at any time.
 */
void pb_fill_cell(struct patchbay_cell *cell, struct patchbay_cell from);

/* An empty cell that nobody is inside of is free for other tracers. */
void pb_release_cell(struct patchbay_cell *cell);

/* Free, and give to others, what can be now. Does not wait. */
void pb_settle_what_is_over(void);

/*
 * Wait for handlers; settle what @plan, if it is not NULL, has changed, and what
 * was left for later. Returns 0 or an error of pb_wait(): then all is left.
 */
int pb_settle(const struct pb_plan *plan);

/*
 * Wait for handlers if anything has been left for later. @gone: also for those on
 * behalf of modules that have gone. Errors as of pb_wait().
 */
int pb_settle_all(int gone);

#endif /* PB_CORE_SETTLE_H */
