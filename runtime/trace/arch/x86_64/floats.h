/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads floating-point arguments from their registers, which handlers and the code around
 * them leave unchanged.
 */
#ifndef PB_TRACE_ARCH_FLOATS_H
#define PB_TRACE_ARCH_FLOATS_H

#include <stdint.h>

#define PB_HAS_FLOATS 1

static inline uint64_t pb_float_argument(unsigned int n)
{
	uint64_t value = 0;

	switch (n) {
#define PB_FLOAT(n)                                                            \
	case n:                                                                \
		__asm__ volatile("movq %%xmm" #n ", %0" : "=r"(value));        \
		break;
		PB_FLOAT(0)
		PB_FLOAT(1)
		PB_FLOAT(2)
		PB_FLOAT(3)
		PB_FLOAT(4)
		PB_FLOAT(5)
		PB_FLOAT(6)
		PB_FLOAT(7)
#undef PB_FLOAT
	}
	return value;
}

#endif /* PB_TRACE_ARCH_FLOATS_H */
