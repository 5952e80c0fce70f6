/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What patch.c and entry.S agree on. */
#ifndef PB_X86_64_ENTRY_H
#define PB_X86_64_ENTRY_H

/* The width of vector arguments. */
#define PB_ISA_SSE 0
#define PB_ISA_AVX 1
#define PB_ISA_AVX512 2

/* From one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

#ifndef __ASSEMBLER__
#include <stdint.h>
extern uint8_t pb_x86_64_isa;
extern const char pb_x86_64_trampolines[];
#endif

#endif /* PB_X86_64_ENTRY_H */
