/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the entry of a function to its record. Linkers that fold identical functions, and
 * do not know that records go with them (mold, gold), leave several of one entry: the
 * first of these counts, the others are its *twins*, which nobody arms.
 */
#ifndef PB_CORE_RECORD_ORDER_H
#define PB_CORE_RECORD_ORDER_H

#include "module.h"

/* To be called before the next, and finds twins. Returns 0 or -ENOMEM. */
int pb_record_order(struct pb_module *module);

/*
 * The index of the first record of the function at @entry, or -1. *@next is where to
 * look first, and set to what is likely next time; 0 will do.
 */
ptrdiff_t pb_record_find(const struct pb_module *module, uintptr_t entry,
			 size_t *next);

#endif /* PB_CORE_RECORD_ORDER_H */
