/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The width of vector arguments; shared by patch.c and entry.S. */
#ifndef PB_X86_64_ISA_H
#define PB_X86_64_ISA_H

#define PB_ISA_SSE 0
#define PB_ISA_AVX 1
#define PB_ISA_AVX512 2

#ifndef __ASSEMBLER__
#include <stdint.h>
extern uint8_t pb_x86_64_isa;
#endif

#endif /* PB_X86_64_ISA_H */
