/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls whose caller, key and target are each in one of two link units: k, the
 * executable, or m, a shared object (the kernel and a module, where the letters
 * come from). UNIT is the unit that a file is compiled for. Callers, keys and
 * targets are in files of their own, so that the compiler knows of each only
 * what a header would tell.
 */
#ifndef BENCH_PLACED_H
#define BENCH_PLACED_H

#include <patchbay/static_call.h>

typedef long function(long);

/* X(caller, key, target) of those whose caller, key or target is in a unit. */
#ifdef SAME_UNIT
#define PLACED_CALLERS(unit, X) X(unit, unit, unit)
#define PLACED_KEYS PLACED_CALLERS
#define PLACED_TARGETS PLACED_CALLERS
#else
#define PLACED_CALLERS(unit, X)                                                \
	X(unit, k, k) X(unit, k, m) X(unit, m, k) X(unit, m, m)
#define PLACED_KEYS(unit, X)                                                   \
	X(k, unit, k) X(k, unit, m) X(m, unit, k) X(m, unit, m)
#define PLACED_TARGETS(unit, X)                                                \
	X(k, k, unit) X(k, m, unit) X(m, k, unit) X(m, m, unit)
#endif

/* What is not used by the other unit is not visible to it. */
#define SEEN_kk __attribute__((visibility("hidden")))
#define SEEN_mm __attribute__((visibility("hidden")))
#define SEEN_km
#define SEEN_mk

#endif /* BENCH_PLACED_H */
