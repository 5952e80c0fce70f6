/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the structure offsets in entry.h. */
#include "arch/x86_64/entry.h"
#include "quiesce/handler_frame.h"
#include "types/call.h"

_Static_assert(CALL_SKIP == PATCHBAY_EXIT_SKIP, "skip");
_Static_assert(CELL_DIRECT_EXIT == PATCHBAY_CELL_DIRECT_EXIT, "exit");
_Static_assert(CELL_DIRECT_BOTH == PATCHBAY_CELL_DIRECT_BOTH, "both");
_Static_assert(CELL_DIRECT_TIMED == PATCHBAY_CELL_DIRECT_TIMED, "timed");
_Static_assert(CELL_DIRECT_SET == PATCHBAY_CELL_DIRECT_SET, "set");
_Static_assert(CELL_DIRECT_ENTRIES == PATCHBAY_CELL_DIRECT_ENTRIES, "entries");

const unsigned int pb_arch_direct_words = DIRECT_WORDS + 1;

PB_CHECK_OFFSET(patchbay_call, vector[0], CALL_VECTOR0 - CALL);
PB_CHECK_OFFSET(patchbay_call, vector[1], CALL_VECTOR1 - CALL);
PB_CHECK_OFFSET(patchbay_call, gp[0], CALL_RAX - CALL);
PB_CHECK_OFFSET(patchbay_call, gp[1], CALL_RDX - CALL);
PB_CHECK_OFFSET(patchbay_call, set, CALL_SET - CALL);
PB_CHECK_OFFSET(patchbay_call, duration, CALL_DURATION - CALL);
PB_CHECK_OFFSET(patchbay_call, since, CALL_SINCE - CALL);
PB_CHECK_OFFSET(patchbay_call, told, CALL_TOLD - CALL);
PB_CHECK_OFFSET(patchbay_call, ip, CALL_IP - CALL);
PB_CHECK_OFFSET(patchbay_call, frame_pointer, CALL_FRAME - CALL);
PB_CHECK_OFFSET(patchbay_call, parent_ip, CALL_PARENT - CALL);
_Static_assert(sizeof(struct patchbay_call) == CALL_SIZE, "call");

_Static_assert(sizeof(struct patchbay_regs) == REGS_SIZE, "regs");
PB_CHECK_OFFSET(patchbay_regs, rdx, REGS_RDX);
PB_CHECK_OFFSET(patchbay_regs, rax, REGS_RAX);
PB_CHECK_OFFSET(patchbay_regs, vectors, REGS_VECTORS);

const struct pb_frame_mark pb_frame_mark = { PB_FRAME_MARK_AT, PB_FRAME_MARK };
