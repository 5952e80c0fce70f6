/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stub: the command never requests floating-point arguments on this architecture. */
#ifndef PB_TRACE_ARCH_FLOATS_H
#define PB_TRACE_ARCH_FLOATS_H

#include <stdint.h>

static inline uint64_t pb_float_argument(unsigned int n)
{
	(void)n;
	return 0;
}

#endif /* PB_TRACE_ARCH_FLOATS_H */
