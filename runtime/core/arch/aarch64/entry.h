/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that patch.c, entry.S and exit.S share. */
#pragma once

#include "arch/words.h"
#include "types/offsets.h"

/*
 * Offsets from a trampoline's return address in a sequence: the branch to the function's
 * body, and the word with the function's entry + 8.
 */
#define PB_RETURN_BODY 8
#define PB_RETURN_INSIDE 24

/*
 * A trampoline's frame is struct patchbay_regs, and ends at the site's stack pointer. The
 * offsets from FRAME_OWN on, except REGS_VECTORS, are in the structure's reserved fields.
 */
#define REGS_SIZE 144
#define FRAME_RESULT 64	 /* x8 and x15 */
#define FRAME_OWN 80	 /* frame record: pointer to the next record, entry + 8 */
#define FRAME_BACK 96	 /* return address into the sequence, signed */
#define REGS_VECTORS 104
#define FRAME_CALLER 112 /* frame record: x29, parent_ip */
#define FRAME_RETURN 128 /* parent_ip signed */
#define FRAME_THREAD 136 /* the thread's reader, or 0: the body has been called */

/* The distance from the stack pointer in a handler's trampoline to its struct patchbay_regs. */
#define HANDLER_FRAME 0

/* A frame exists while its FRAME_THREAD is not 0; see handler_frame.c. */
#define PB_FRAME_MARK_AT FRAME_THREAD

/*
 * struct patchbay_call and, after it, struct patchbay_regs, relative to x29. x29 points
 * to the caller's frame pointer.
 */
#define CALL (-112)
#define CALL_REGISTER 29 /* DWARF's number of x29 */
#define CALL_VECTOR (CALL + 0)
#define CALL_GP (CALL + 64)
#define CALL_SET (CALL + 80)
#define CALL_TOLD (CALL + 88)
#define CALL_SINCE (CALL + 96)
#define CALL_IP (CALL + 104)
#define CALL_FRAME (CALL + 112)
#define CALL_PARENT (CALL + 120)
#define CALL_WAY_OUT (CALL + 128)
#define CALL_SIZE 136
#define CALL_REGS (CALL + CALL_SIZE)

/* The number of the bit PATCHBAY_EXIT_SKIP in CALL_SINCE. */
#define CALL_SKIP_BIT 1
#define CALL_SKIP (1 << CALL_SKIP_BIT)
