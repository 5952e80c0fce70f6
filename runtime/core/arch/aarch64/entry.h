/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c and entry.S agree on. */
#ifndef PB_AARCH64_ENTRY_H
#define PB_AARCH64_ENTRY_H

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

#ifndef __ASSEMBLER__
extern const char pb_aarch64_trampolines[];
#endif

#endif /* PB_AARCH64_ENTRY_H */
