/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What entry.S and exit.S know of structures. */
#include "arch/ppc64le/entry.h"
#include "call.h"
#include "set.h"

const int pb_arch_exits = 1;

_Static_assert(CALL_SKIP == PATCHBAY_EXIT_SKIP, "skip");

#define CHECK_OFFSET(type, field, offset)                                      \
	_Static_assert(offsetof(struct type, field) == (offset), #field)

CHECK_OFFSET(patchbay_call, vector[0], CALL_FLOAT - CALL);
CHECK_OFFSET(patchbay_call, vector[8], CALL_VECTOR - CALL);
CHECK_OFFSET(patchbay_call, gp, CALL_GP - CALL);
CHECK_OFFSET(patchbay_call, set, CALL_SET - CALL);
CHECK_OFFSET(patchbay_call, told, CALL_TOLD - CALL);
CHECK_OFFSET(patchbay_call, since, CALL_SINCE - CALL);
CHECK_OFFSET(patchbay_call, ip, CALL_IP - CALL);
CHECK_OFFSET(patchbay_call, frame_pointer, CALL_FRAME - CALL);
CHECK_OFFSET(patchbay_call, parent_ip, CALL_PARENT - CALL);
CHECK_OFFSET(patchbay_call, way_out, CALL_WAY_OUT - CALL);
_Static_assert(sizeof(struct patchbay_call) == CALL_SIZE, "call");

_Static_assert(sizeof(struct patchbay_regs) == REGS_SIZE, "regs");
CHECK_OFFSET(patchbay_regs, r11, REGS_CHAIN);

CHECK_OFFSET(patchbay_cell, enter, CELL_ENTER);
CHECK_OFFSET(patchbay_cell, func, CELL_FUNC);
CHECK_OFFSET(patchbay_cell, set, CELL_SET);
CHECK_OFFSET(patchbay_cell, exit, CELL_EXIT);
CHECK_OFFSET(patchbay_cell, since, CELL_SINCE);
CHECK_OFFSET(pb_set, fast_exits, SET_FAST_EXITS);
