/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that patch.c, entry.S and exit.S share. */
#pragma once

#include "arch/words.h"
#include "types/offsets.h"

/*
 * A trampoline's frame is struct patchbay_regs, and ends at the site's stack pointer. At the
 * end of the frame are two frame records. A record has the next s0 and a return address, and
 * s0 points to the end of the record.
 */
#define REGS_SIZE 128
#define FRAME_CHAIN 64	 /* t2 and t3 */
#define REGS_VECTORS 80
#define FRAME_THREAD 88	 /* the thread's reader, or 0: the body has been called */
#define FRAME_OWN 96	 /* the trampoline's record: the end of this frame, FRAME_BACK */
#define FRAME_BACK 104	 /* t0: return address into the function, after the site */
#define FRAME_CALLER 112 /* the function's record: s0, parent_ip */

/* The distance from the stack pointer in a handler's trampoline to its struct patchbay_regs. */
#define HANDLER_FRAME 0

/* A frame exists while its FRAME_THREAD is not 0; see handler_frame.c. */
#define PB_FRAME_MARK_AT FRAME_THREAD

/*
 * struct patchbay_call and, after it, struct patchbay_regs, relative to s0. s0 points to
 * the end of the frame record in struct patchbay_call.
 */
#define CALL (-80)
#define CALL_REGISTER 8 /* DWARF's number of s0 */
#define CALL_VECTOR (CALL + 0)
#define CALL_GP (CALL + 16)
#define CALL_SET (CALL + 32)
#define CALL_TOLD (CALL + 40)
#define CALL_SINCE (CALL + 48)
#define CALL_IP (CALL + 56)
#define CALL_FRAME (CALL + 64)
#define CALL_PARENT (CALL + 72)
#define CALL_WAY_OUT (CALL + 80)
#define CALL_SIZE 88
#define CALL_REGS (CALL + CALL_SIZE)

/* A bit of CALL_SINCE: PATCHBAY_EXIT_SKIP. */
#define CALL_SKIP 2
