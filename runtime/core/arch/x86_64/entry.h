/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that patch.c, entry.S and exit.S share. */
#pragma once

#include "types/offsets.h"

/* The width of vector arguments. */
#define PB_ISA_SSE 0
#define PB_ISA_AVX 1
#define PB_ISA_AVX512 2

/* The distance from one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 512

/*
 * Offsets of a trampoline's two entries: the open one, and the shut one, which only returns. A
 * module's stubs change from shut to open while threads run, so the two addresses differ in
 * one byte.
 */
#define PB_TRAMPOLINE_SHUT 0
#define PB_TRAMPOLINE_OPEN 64

/* struct patchbay_regs; the stack stays aligned. */
#define REGS_SIZE 80
#define REGS_RDI 8
#define REGS_RDX 24
#define REGS_RAX 56
#define REGS_VECTORS 64
#define REGS_MARK 72   /* PB_FRAME_MARK, while the trampoline runs */
#define REGS_CALLED 76 /* bit 31: the function's body has been called */

/* The distance from the stack pointer in a handler's trampoline to its struct patchbay_regs. */
#define HANDLER_FRAME 0

/* A frame exists while it has this mark at this offset; see handler_frame.c. */
#define PB_FRAME_MARK_AT REGS_MARK
#define PB_FRAME_MARK 0x6b724d50

/*
 * struct patchbay_call and, after it, struct patchbay_regs, relative to rbp. rbp points
 * to the caller's frame pointer.
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

/* Bits of CELL_SINCE: the direct way (direct.h) that the cell takes; see call.h. */
#define CELL_DIRECT_BOTH 0x10
#define CELL_DIRECT_SET 0x20
#define CELL_DIRECT_EXIT 0x40
#define CELL_DIRECT_TIMED 0x80

/*
 * The stack that the direct way of sets uses below struct patchbay_call: a word for each
 * tracer except the first, and, at the lower end, the position in a list.
 */
#define DIRECT_WORDS 9
#define DIRECT_ROOM ((DIRECT_WORDS + 1) * 8)

/* Bits of CALL_SINCE. CALL_SKIP is PATCHBAY_EXIT_SKIP. CALL_X87: x87 registers are saved at rsp. */
#define CALL_SKIP 2
#define CALL_X87 4

#ifndef __ASSEMBLER__
#include "types/module.h"

extern uint8_t pb_x86_64_isa;
extern const char pb_x86_64_trampolines[];

/*
 * Code of the library's trampolines that a module's own trampolines (own.h) jump to, as
 * offsets from the first trampoline: for sites without a landing pad, then for sites with one,
 * in the order of PATCHBAY_X86_64_TABLE_RARE.
 */
extern const uint32_t pb_x86_64_rare[];

/* A module's own trampolines call this if the thread is not outside; see pb_enter_slowly(). */
extern const char pb_x86_64_enter_slowly[];

/* Stub @i of @module. After the last stub is the code that all stubs jump to at first. */
static inline const void *pb_module_stub(const struct pb_module *module,
					 unsigned int i)
{
	const struct patchbay_module *desc = module->desc;

	return (const char *)pb_desc_place(&desc->stubs) +
	       i * PATCHBAY_X86_64_STUB_SIZE;
}
#endif
