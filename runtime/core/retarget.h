/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tracer that stays armed where it is, and is disabled, enabled or given other
 * handlers: nothing is planned, and no text is written.
 */
#ifndef PB_CORE_RETARGET_H
#define PB_CORE_RETARGET_H

#include <patchbay/patchbay.h>

/* What of a tracer may become different. */
struct pb_ops_change {
	patchbay_handler handler, exit;
	int disabled;
};

/*
 * Make @ops, and what all its cells call, as @change says, and wait until nobody is
 * in what they called before. Returns 0, or -ENOMEM, with nothing changed, or an
 * error of waiting, as pb_engine_commit(), whose locks the caller holds.
 */
int pb_retarget(struct patchbay_ops *ops, const struct pb_ops_change *change);

#endif /* PB_CORE_RETARGET_H */
