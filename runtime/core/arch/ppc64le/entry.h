/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c, entry.S and exit.S agree on. */
#ifndef PB_PPC64LE_ENTRY_H
#define PB_PPC64LE_ENTRY_H

#include "types/offsets.h"

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

/*
 * From where a trampoline returns to in a sequence: what leads to the
 * function's body, and the function's entry.
 */
#define PB_RETURN_BODY 8
#define PB_RETURN_ENTRY 16

/* Of a frame's header: what its callee and what its owner keep there. */
#define HEADER_SIZE 32
#define HEADER_LR 16
#define HEADER_TOC 24

/* struct patchbay_regs; r11 in it, and where f1 is */
#define REGS_SIZE 96
#define REGS_CHAIN 64
#define REGS_VECTORS 72

/* A trampoline's own frame, and the function's above it. */
#define OWN_RETURN HEADER_SIZE /* where we return to, and OWN_CALLED */
#define OWN_THREAD (HEADER_SIZE + 8)
#define OWN_SIZE (HEADER_SIZE + 16)
#define OWN_REGS (OWN_SIZE + HEADER_SIZE)

/* Of a trampoline that calls a handler: from the stack pointer to its frame. */
#define HANDLER_FRAME OWN_REGS

/* Where handler_frame.c looks, from struct patchbay_regs, whether a frame is there. */
#define PB_FRAME_MARK_AT (OWN_THREAD - OWN_REGS)
#define FUNCTION_SIZE (HEADER_SIZE + REGS_SIZE)
#define FRAMES_SIZE (OWN_SIZE + FUNCTION_SIZE)

/*
 * The function's body has been called. It is a bit of addresses in LR that
 * branches do not look at.
 */
#define OWN_CALLED 1

#define DWARF_LR 65

/*
 * struct patchbay_call, from a trampoline's own frame, which is what r31 points
 * to; its end is that and what else is before struct patchbay_regs.
 */
#define CALL (-336)
#define CALL_REGISTER 31 /* DWARF's number of what it is counted from */
#define CALL_FLOAT (CALL + 0)
#define CALL_VECTOR (CALL + 128)
#define CALL_GP (CALL + 256)
#define CALL_SET (CALL + 272)
#define CALL_TOLD (CALL + 280)
#define CALL_SINCE (CALL + 288)
#define CALL_IP (CALL + 296)
#define CALL_FRAME (CALL + 304)
#define CALL_PARENT (CALL + 312)
#define CALL_WAY_OUT (CALL + 320)
#define CALL_SIZE (OWN_REGS - CALL)
#define CALL_REGS (CALL + CALL_SIZE)

/* In CALL_SINCE: PATCHBAY_EXIT_SKIP. */
#define CALL_SKIP 2

#ifndef __ASSEMBLER__
extern const char pb_ppc64_trampolines[];
#endif

#endif /* PB_PPC64LE_ENTRY_H */
