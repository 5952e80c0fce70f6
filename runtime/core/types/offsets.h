/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Offsets of structure fields that the trampolines of every architecture use. entry.h of
 * each architecture has those of struct patchbay_regs and struct patchbay_call.
 */
#pragma once

/* struct patchbay_cell */
#define CELL_ENTER 0
#define CELL_FUNC 8
#define CELL_RECORD 24
#define CELL_OPS 32
#define CELL_SET 40
#define CELL_EXIT 48
#define CELL_SINCE 56

/* struct pb_set */
#define SET_FAST_EXITS 20
#define SET_MORE 28
#define SET_SINCE 40
#define SET_ENTRIES 56
#define SET_EXITS 64

/* struct patchbay_ops */
#define OPS_EXIT 40
#define OPS_THRESHOLD 72

/* struct patchbay_record */
#define RECORD_FLAGS 15

#ifndef __ASSEMBLER__

#include <stddef.h>

#define PB_CHECK_OFFSET(type, field, offset)                                   \
	_Static_assert(offsetof(struct type, field) == (offset), #field)

#endif /* __ASSEMBLER__ */
