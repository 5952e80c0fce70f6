/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of a module are armed at once, each looked at and changed by the same loop, so
 * that text is read one time, in a module of which no site was armed so far: its stubs do
 * not lead anywhere yet, and no thread looks at slots.
 * Before, records and owners alone were looked at, and the first function of each kind.
 * If a function is then not what it should be, all that were armed before it are disarmed
 * again, and the batch begins anew, in steps: all are checked before any is changed. That
 * says what is wrong, and where.
 */
#ifndef PB_CORE_BULK_AT_ONCE_H
#define PB_CORE_BULK_AT_ONCE_H

#include "bulk_text.h"

/*
 * Slots and sites of all functions of @bulk, whose cells have been filled. Returns 0;
 * PB_BULK_IN_STEPS: nothing has been changed, and it is to be tried that way (the
 * module that was in the way remembers it, until all that a batch asks of it has been
 * armed that way); or a negative errno: what was written may be all, and cannot be
 * executed, or leads nowhere.
 */
int pb_bulk_arm_at_once(struct pb_bulk *bulk);

#endif /* PB_CORE_BULK_AT_ONCE_H */
