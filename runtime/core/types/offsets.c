/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* That what is in offsets.h is so; arch/.../offsets.c says it of the rest. */
#include "types/offsets.h"

#include "types/set.h"
#include "types/tracer.h"

PB_CHECK_OFFSET(patchbay_cell, enter, CELL_ENTER);
PB_CHECK_OFFSET(patchbay_cell, func, CELL_FUNC);
PB_CHECK_OFFSET(patchbay_cell, record, CELL_RECORD);
PB_CHECK_OFFSET(patchbay_cell, ops, CELL_OPS);
PB_CHECK_OFFSET(patchbay_cell, set, CELL_SET);
PB_CHECK_OFFSET(patchbay_cell, exit, CELL_EXIT);
PB_CHECK_OFFSET(patchbay_cell, since, CELL_SINCE);
PB_CHECK_OFFSET(pb_set, fast_exits, SET_FAST_EXITS);
PB_CHECK_OFFSET(pb_set, more, SET_MORE);
PB_CHECK_OFFSET(pb_set, since, SET_SINCE);
PB_CHECK_OFFSET(pb_set, entries, SET_ENTRIES);
PB_CHECK_OFFSET(pb_set, exits, SET_EXITS);
PB_CHECK_OFFSET(patchbay_ops, attr.exit, OPS_EXIT);
PB_CHECK_OFFSET(patchbay_ops, attr.threshold, OPS_THRESHOLD);
PB_CHECK_OFFSET(patchbay_record, flags, RECORD_FLAGS);
