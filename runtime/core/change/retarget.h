/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Enable, disable or update a tracer that stays armed on the same functions. This needs no
 * plan and writes no text.
 */
#ifndef PB_CORE_RETARGET_H
#define PB_CORE_RETARGET_H

#include <patchbay/patchbay.h>

/* The fields of a tracer that may change. */
struct pb_ops_change {
	patchbay_handler handler, exit;
	int disabled;
};

/*
 * Apply @change to @ops and to all its cells. Then wait until no thread is in the old
 * handlers. Returns 0; -ENOMEM, with nothing changed; or an error of the wait, as
 * pb_engine_commit() does. The caller holds the locks of pb_engine_commit().
 */
int pb_retarget(struct patchbay_ops *ops, const struct pb_ops_change *change);

#endif /* PB_CORE_RETARGET_H */
