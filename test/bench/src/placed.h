/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls whose caller, key and target are each in one of two link units: k, the executable,
 * or m, a shared object (for kernel and module). UNIT is the link unit of a file. Callers,
 * keys and targets are in separate files, so that the compiler sees only declarations.
 */
#ifndef BENCH_PLACED_H
#define BENCH_PLACED_H

#include <patchbay/static_call.h>

typedef long function(long);

/* Expand X(caller, key, target) for each call whose caller, key or target is in @unit. */
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

/* Hides symbols that the other unit does not use. */
#define SEEN_kk __attribute__((visibility("hidden")))
#define SEEN_mm __attribute__((visibility("hidden")))
#define SEEN_km
#define SEEN_mk

#endif /* BENCH_PLACED_H */
