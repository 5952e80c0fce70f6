/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the structure offsets in types/offsets.h and in entry.h of the architecture. */
#include "quiesce/handler_frame.h"
#include "types/call.h"
#include "types/set.h"
#include "types/tracer.h"

#include "entry.h"

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
PB_CHECK_OFFSET(patchbay_ops, threshold, OPS_THRESHOLD);
PB_CHECK_OFFSET(patchbay_record, flags, RECORD_FLAGS);

PB_CHECK_OFFSET(patchbay_call, set, CALL_SET - CALL);
PB_CHECK_OFFSET(patchbay_call, told, CALL_TOLD - CALL);
PB_CHECK_OFFSET(patchbay_call, since, CALL_SINCE - CALL);
PB_CHECK_OFFSET(patchbay_call, ip, CALL_IP - CALL);
PB_CHECK_OFFSET(patchbay_call, frame_pointer, CALL_FRAME - CALL);
PB_CHECK_OFFSET(patchbay_call, parent_ip, CALL_PARENT - CALL);
_Static_assert(sizeof(struct patchbay_call) == CALL_SIZE, "call");
_Static_assert(CALL_SKIP == PATCHBAY_EXIT_SKIP, "skip");
_Static_assert(sizeof(struct patchbay_regs) == REGS_SIZE, "regs");
PB_CHECK_OFFSET(patchbay_regs, vectors, REGS_VECTORS);

#ifdef __x86_64__

const unsigned int pb_arch_direct_words = DIRECT_WORDS + 1;
const struct pb_frame_mark pb_frame_mark = { PB_FRAME_MARK_AT, PB_FRAME_MARK };

_Static_assert(CELL_DIRECT_EXIT == PATCHBAY_CELL_DIRECT_EXIT, "exit");
_Static_assert(CELL_DIRECT_BOTH == PATCHBAY_CELL_DIRECT_BOTH, "both");
_Static_assert(CELL_DIRECT_TIMED == PATCHBAY_CELL_DIRECT_TIMED, "timed");
_Static_assert(CELL_DIRECT_SET == PATCHBAY_CELL_DIRECT_SET, "set");
PB_CHECK_OFFSET(patchbay_call, vector[0], CALL_VECTOR0 - CALL);
PB_CHECK_OFFSET(patchbay_call, vector[1], CALL_VECTOR1 - CALL);
PB_CHECK_OFFSET(patchbay_call, gp[0], CALL_RAX - CALL);
PB_CHECK_OFFSET(patchbay_call, gp[1], CALL_RDX - CALL);
PB_CHECK_OFFSET(patchbay_call, duration, CALL_DURATION - CALL);
PB_CHECK_OFFSET(patchbay_regs, rdi, REGS_RDI);
PB_CHECK_OFFSET(patchbay_regs, rdx, REGS_RDX);
PB_CHECK_OFFSET(patchbay_regs, rax, REGS_RAX);

#else

/* There is no direct way for sets: exit.S calls C. */
const unsigned int pb_arch_direct_words = 0;
const struct pb_frame_mark pb_frame_mark = { PB_FRAME_MARK_AT, 0 };

PB_CHECK_OFFSET(patchbay_call, gp, CALL_GP - CALL);
PB_CHECK_OFFSET(patchbay_call, way_out, CALL_WAY_OUT - CALL);

#endif

#if defined(__aarch64__)
PB_CHECK_OFFSET(patchbay_call, vector, CALL_VECTOR - CALL);
PB_CHECK_OFFSET(patchbay_regs, x8, FRAME_RESULT);
PB_CHECK_OFFSET(patchbay_regs, reserved, FRAME_OWN);
PB_CHECK_OFFSET(patchbay_regs, reserved_too, FRAME_CALLER);
#elif defined(__powerpc64__)
PB_CHECK_OFFSET(patchbay_call, vector[0], CALL_FLOAT - CALL);
PB_CHECK_OFFSET(patchbay_call, vector[8], CALL_VECTOR - CALL);
PB_CHECK_OFFSET(patchbay_regs, r11, REGS_CHAIN);
#elif defined(__riscv)
PB_CHECK_OFFSET(patchbay_call, vector, CALL_VECTOR - CALL);
PB_CHECK_OFFSET(patchbay_regs, t2, FRAME_CHAIN);
PB_CHECK_OFFSET(patchbay_regs, t3, FRAME_CHAIN + 8);
PB_CHECK_OFFSET(patchbay_regs, reserved, FRAME_THREAD);
#endif
