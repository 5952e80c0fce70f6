/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the structure offsets in entry.h. */
#include "arch/ppc64le/entry.h"
#include "quiesce/handler_frame.h"
#include "types/call.h"

_Static_assert(CALL_SKIP == PATCHBAY_EXIT_SKIP, "skip");

/* exit.S calls C for sets. */
const unsigned int pb_arch_direct_words = 0;

PB_CHECK_OFFSET(patchbay_call, vector[0], CALL_FLOAT - CALL);
PB_CHECK_OFFSET(patchbay_call, vector[8], CALL_VECTOR - CALL);
PB_CHECK_OFFSET(patchbay_call, gp, CALL_GP - CALL);
PB_CHECK_OFFSET(patchbay_call, set, CALL_SET - CALL);
PB_CHECK_OFFSET(patchbay_call, told, CALL_TOLD - CALL);
PB_CHECK_OFFSET(patchbay_call, since, CALL_SINCE - CALL);
PB_CHECK_OFFSET(patchbay_call, ip, CALL_IP - CALL);
PB_CHECK_OFFSET(patchbay_call, frame_pointer, CALL_FRAME - CALL);
PB_CHECK_OFFSET(patchbay_call, parent_ip, CALL_PARENT - CALL);
PB_CHECK_OFFSET(patchbay_call, way_out, CALL_WAY_OUT - CALL);
_Static_assert(sizeof(struct patchbay_call) == CALL_SIZE, "call");

_Static_assert(sizeof(struct patchbay_regs) == REGS_SIZE, "regs");
PB_CHECK_OFFSET(patchbay_regs, r11, REGS_CHAIN);
PB_CHECK_OFFSET(patchbay_regs, vectors, REGS_VECTORS);

const struct pb_frame_mark pb_frame_mark = { PB_FRAME_MARK_AT, 0 };
