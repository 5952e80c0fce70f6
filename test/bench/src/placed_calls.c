/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "placed.h"

/*
 * The addition after each call prevents a tail call. The alignment is needed because
 * POWER10's assembler puts a nop before a prefixed instruction that would cross a boundary
 * of 64 bytes.
 */
#define ALIGNED __attribute__((aligned(64)))

#define CALLER(c, k, t)                                                        \
	extern function target_##c##k##t;                                      \
	extern function *pointer_##c##k##t SEEN_##c##k;                        \
	DECLARE_STATIC_CALL(c##k##t, function);                                \
	function pointer_call_##c##k##t ALIGNED;                               \
	function static_call_##c##k##t ALIGNED;                                \
	long pointer_call_##c##k##t(long x)                                    \
	{                                                                      \
		return pointer_##c##k##t(x) + 1;                               \
	}                                                                      \
	long static_call_##c##k##t(long x)                                     \
	{                                                                      \
		return static_call(c##k##t)(x) + 1;                            \
	}

PLACED_CALLERS(UNIT, CALLER)

#ifndef SAME_UNIT
#define DIRECT(c, t)                                                           \
	function direct_call_##c##t ALIGNED;                                   \
	long direct_call_##c##t(long x) { return target_##c##c##t(x) + 1; }
#define DIRECTS(unit) DIRECT(unit, k) DIRECT(unit, m)

DIRECTS(UNIT)
#endif

#define EMPTY(unit) EMPTY_(unit)
#define EMPTY_(unit)                                                           \
	extern function empty_##unit;                                          \
	function once_##unit ALIGNED, twice_##unit ALIGNED;                    \
	long once_##unit(long x) { return empty_##unit(x) + 1; }               \
	long twice_##unit(long x)                                              \
	{                                                                      \
		return empty_##unit(empty_##unit(x)) + 1;                      \
	}

EMPTY(UNIT)
