/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c and entry.S agree on. */
#ifndef PB_PPC64LE_ENTRY_H
#define PB_PPC64LE_ENTRY_H

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

/* From where a trampoline returns to in a sequence, the function's entry. */
#define PB_RETURN_ENTRY 8

/* struct patchbay_regs; r11 in it */
#define PB_FRAME_REGS_SIZE 96
#define PB_FRAME_CHAIN 64

/* struct patchbay_cell; enter comes first */
#define PB_CELL_FUNC 8

#ifndef __ASSEMBLER__
extern const char pb_ppc64_trampolines[];
#endif

#endif /* PB_PPC64LE_ENTRY_H */
