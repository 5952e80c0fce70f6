/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "placed.h"

/*
 * Each target reads its own data, so that on ppc64le it needs the TOC pointer of its unit;
 * a wrong pointer gives a wrong result. Protected visibility makes calls within a shared
 * object direct.
 */
#define TARGET(c, k, t)                                                        \
	function target_##c##k##t __attribute__((visibility("protected")));    \
	extern long data_##c##k##t __attribute__((visibility("hidden")));      \
	long data_##c##k##t = 5;                                               \
	long target_##c##k##t(long x) { return x + data_##c##k##t; }

PLACED_TARGETS(UNIT, TARGET)

#define EMPTY(unit) EMPTY_(unit)
#define EMPTY_(unit)                                                           \
	function empty_##unit __attribute__((visibility("protected")));        \
	long empty_##unit(long x) { return x; }

EMPTY(UNIT)
