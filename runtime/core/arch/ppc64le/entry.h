/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that patch.c, entry.S and exit.S share. */
#pragma once

#include "arch/words.h"
#include "types/offsets.h"

/*
 * Offsets from a trampoline's return address in a sequence: the branch to the function's
 * body, and the word with the function's entry.
 */
#define PB_RETURN_BODY 8
#define PB_RETURN_ENTRY 16

/* The header of a frame: the callee saves LR there, and the owner its TOC pointer. */
#define HEADER_SIZE 32
#define HEADER_LR 16
#define HEADER_TOC 24

/* struct patchbay_regs: its size, and the offsets of r11 and of the pointer to f1 */
#define REGS_SIZE 96
#define REGS_CHAIN 64
#define REGS_VECTORS 72

/* A trampoline's own frame, and above it the function's frame. */
#define OWN_RETURN HEADER_SIZE /* return address into the sequence, and OWN_CALLED */
#define OWN_THREAD (HEADER_SIZE + 8)
#define OWN_SIZE (HEADER_SIZE + 16)
#define OWN_REGS (OWN_SIZE + HEADER_SIZE)

/* The distance from the stack pointer in a handler's trampoline to its struct patchbay_regs. */
#define HANDLER_FRAME OWN_REGS

/* Offset from struct patchbay_regs to the word that handler_frame.c reads. */
#define PB_FRAME_MARK_AT (OWN_THREAD - OWN_REGS)
#define FUNCTION_SIZE (HEADER_SIZE + REGS_SIZE)
#define FRAMES_SIZE (OWN_SIZE + FUNCTION_SIZE)

/* A bit of OWN_RETURN: the body has been called. Branches ignore this bit of LR. */
#define OWN_CALLED 1

#define DWARF_LR 65

/*
 * struct patchbay_call, relative to r31. r31 points to the end of the structure, where the
 * trampoline's own frame begins. struct patchbay_regs is above that frame.
 */
#define CALL (-336)
#define CALL_REGISTER 31 /* DWARF's number of r31 */
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

/* A bit of CALL_SINCE: PATCHBAY_EXIT_SKIP. */
#define CALL_SKIP 2
