/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c, entry.S and exit.S agree on. */
#ifndef PB_RISCV64_ENTRY_H
#define PB_RISCV64_ENTRY_H

#include "types/offsets.h"

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

/*
 * A trampoline's frame is struct patchbay_regs; it ends at the site's stack
 * pointer. Its end is two frame records, as s0 leads to them: s0 points behind
 * one, whose second word is a return address and whose first is the next s0.
 */
#define FRAME_SIZE 128
#define FRAME_CHAIN 64	 /* t2 and t3 */
#define FRAME_VECTORS 80
#define FRAME_THREAD 88	 /* the thread's reader, or 0: the body has been called */
#define FRAME_OWN 96	 /* the trampoline's: FRAME_SIZE from here, and FRAME_BACK */
#define FRAME_BACK 104	 /* t0: behind the site */
#define FRAME_CALLER 112 /* the function's: s0, parent_ip */

/* Of a trampoline that calls a handler: from the stack pointer to its frame. */
#define HANDLER_FRAME 0

/* Where handler_frame.c looks whether a frame is still there: it has FRAME_THREAD. */
#define PB_FRAME_MARK_AT FRAME_THREAD

/*
 * struct patchbay_call, from s0, which points behind the frame record in it; and
 * struct patchbay_regs behind it.
 */
#define CALL (-80)
#define CALL_REGISTER 8 /* DWARF's number of what it is counted from */
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

/* In CALL_SINCE: PATCHBAY_EXIT_SKIP. */
#define CALL_SKIP 2

#ifndef __ASSEMBLER__
extern const char pb_riscv64_trampolines[];
#endif

#endif /* PB_RISCV64_ENTRY_H */
