/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c and entry.S agree on. */
#ifndef PB_AARCH64_ENTRY_H
#define PB_AARCH64_ENTRY_H

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

/* struct patchbay_regs; x8 and x15 in it */
#define PB_FRAME_SIZE 128
#define PB_FRAME_RESULT 64

/* struct patchbay_cell; enter comes first */
#define PB_CELL_FUNC 8

#ifndef __ASSEMBLER__
extern const char pb_aarch64_trampolines[];
#endif

#endif /* PB_AARCH64_ENTRY_H */
