/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c, entry.S and exit.S agree on. */
#ifndef PB_X86_64_ENTRY_H
#define PB_X86_64_ENTRY_H

#include "types/offsets.h"

/* The width of vector arguments. */
#define PB_ISA_SSE 0
#define PB_ISA_AVX 1
#define PB_ISA_AVX512 2

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 512

/*
 * Where it is entered, and where as long as it is not to do anything. A module's
 * stubs are led from one to the other under threads, so only one byte differs.
 */
#define PB_TRAMPOLINE_SHUT 0
#define PB_TRAMPOLINE_OPEN 64

/* struct patchbay_regs; the stack stays aligned. */
#define REGS_SIZE 80
#define REGS_RDX 24
#define REGS_RAX 56
#define REGS_VECTORS 64
#define REGS_MARK 72   /* PB_FRAME_MARK, as long as the trampoline runs */
#define REGS_CALLED 76 /* bit 31: the function's body has been called */

/* Of a trampoline that calls a handler: from the stack pointer to its frame. */
#define HANDLER_FRAME 0

/* Where handler_frame.c looks whether a frame is still there, and what for. */
#define PB_FRAME_MARK_AT REGS_MARK
#define PB_FRAME_MARK 0x6b724d50

/*
 * struct patchbay_call, from its caller's frame pointer, which is what rbp
 * points to; and struct patchbay_regs behind it.
 */
#define CALL (-176)
#define CALL_REGISTER 6 /* DWARF's number of rbp */
#define CALL_WORD (CALL - 8)
#define CALL_VECTOR0 (CALL + 0)
#define CALL_VECTOR1 (CALL + 64)
#define CALL_RAX (CALL + 128)
#define CALL_RDX (CALL + 136)
#define CALL_SET (CALL + 144)
#define CALL_DURATION (CALL + 144)
#define CALL_TOLD (CALL + 152)
#define CALL_SINCE (CALL + 160)
#define CALL_IP (CALL + 168)
#define CALL_FRAME (CALL + 176)
#define CALL_PARENT (CALL + 184)
#define CALL_SIZE 200
#define CALL_REGS (CALL + CALL_SIZE)

/* In CELL_SINCE: which of the direct ways (direct.h) the cell takes; see call.h. */
#define CELL_DIRECT_EXIT 0x40
#define CELL_DIRECT_BOTH 0x80
#define CELL_DIRECT_TIMED 0x100
#define CELL_DIRECT_SET 0x200
#define CELL_DIRECT_ENTRIES 0x8000

/*
 * What the direct way of sets has below struct patchbay_call: words of its tracers,
 * beside the one that is always there, and where in a list it is, at the end.
 */
#define DIRECT_WORDS 9
#define DIRECT_ROOM ((DIRECT_WORDS + 1) * 8)

/*
 * In CALL_SINCE: PATCHBAY_EXIT_SKIP; and x87 registers are kept, at the stack
 * pointer.
 */
#define CALL_SKIP 2
#define CALL_X87 4

#ifndef __ASSEMBLER__
#include <stdint.h>
extern uint8_t pb_x86_64_isa;
extern const char pb_x86_64_trampolines[];

/*
 * What a module's own trampolines leave to ours (own.h), counted from the first one: of
 * sites without a landing pad, then of those with one, in the order of
 * PATCHBAY_X86_64_TABLE_RARE.
 */
extern const uint32_t pb_x86_64_rare[];

/* What they call for a thread that is not outside; see pb_enter_slowly(). */
extern const char pb_x86_64_enter_slowly[];
#endif

#endif /* PB_X86_64_ENTRY_H */
