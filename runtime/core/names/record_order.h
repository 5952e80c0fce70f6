/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Find the record of a function by its entry. Some linkers fold identical functions
 * without dropping their records (mold, gold). Then several records have one entry. The
 * library uses the first; the others are its *twins* and are never armed.
 */
#ifndef PB_CORE_RECORD_ORDER_H
#define PB_CORE_RECORD_ORDER_H

#include "types/module.h"

/* Sort the records and find twins, before pb_record_find(). Returns 0 or -ENOMEM. */
int pb_record_order(struct pb_module *module);

/*
 * Returns the index of the first record of the function at @entry, or -1. *@next is a hint
 * where to look first, initially 0. The function updates it for the next call.
 */
ptrdiff_t pb_record_find(const struct pb_module *module, uintptr_t entry,
			 size_t *next);

#endif /* PB_CORE_RECORD_ORDER_H */
