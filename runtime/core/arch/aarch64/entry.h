/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c, entry.S and exit.S agree on. */
#ifndef PB_AARCH64_ENTRY_H
#define PB_AARCH64_ENTRY_H

#include "types/offsets.h"

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

/*
 * From where a trampoline returns to in a sequence: what leads to the
 * function's body, and the function's entry + 8.
 */
#define PB_RETURN_BODY 8
#define PB_RETURN_INSIDE 24

/*
 * A trampoline's frame is struct patchbay_regs; it ends at the site's stack
 * pointer. From FRAME_OWN on it is the reserved part of that, but for where
 * vector registers are kept.
 */
#define FRAME_SIZE 144
#define FRAME_RESULT 64	 /* x8 and x15 */
#define FRAME_OWN 80	 /* frame record: the next one, entry + 8 */
#define FRAME_BACK 96	 /* into the sequence, signed */
#define FRAME_VECTORS 104
#define FRAME_CALLER 112 /* frame record: x29, parent_ip */
#define FRAME_RETURN 128 /* parent_ip signed */
#define FRAME_THREAD 136 /* the thread's reader, or 0: the body has been called */

/* Of a trampoline that calls a handler: from the stack pointer to its frame. */
#define HANDLER_FRAME 0

/* Where handler_frame.c looks whether a frame is still there: it has FRAME_THREAD. */
#define PB_FRAME_MARK_AT FRAME_THREAD

/*
 * struct patchbay_call, from its caller's frame pointer, which is what x29
 * points to; and struct patchbay_regs behind it.
 */
#define CALL (-112)
#define CALL_REGISTER 29 /* DWARF's number of what it is counted from */
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

/* In CALL_SINCE: which bit is PATCHBAY_EXIT_SKIP. */
#define CALL_SKIP_BIT 1

#ifndef __ASSEMBLER__
extern const char pb_aarch64_trampolines[];
#endif

#endif /* PB_AARCH64_ENTRY_H */
