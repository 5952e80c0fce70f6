/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes every call once, between the instructions MARK_BEGIN and MARK_END, which have no
 * effect, and prints the names of the callers in that order, for harness/emulate.py.
 */
#include "placed.h"

#include <stdio.h>

#define WORD(number) WORD_(number)
#define WORD_(number) __asm__ volatile(".long " #number ::: "memory")

/* Not inlined, so that the instructions around all calls are equal. */
__attribute__((noinline)) static long between_marks(function *f, long x)
{
	long result;

	WORD(MARK_BEGIN);
	result = f(x);
	WORD(MARK_END);
	return result;
}

struct call {
	const char *name;
	function *function;
	long result; /* for the argument 10 */
};

/*
 * Callers without a static call, to measure target and caller. These callers are compiled
 * like the targets.
 */
extern function empty_k, target_kkk;
static long base_empty(long x) { return empty_k(x) + 1; }
static long base_target(long x) { return target_kkk(x) + 1; }

#define CALL(name, result) { #name, name, result },
#define DECLARE(c, k, t)                                                       \
	extern function pointer_call_##c##k##t, static_call_##c##k##t;
#define CALLS(c, k, t)                                                         \
	CALL(pointer_call_##c##k##t, 16) CALL(static_call_##c##k##t, 16)

PLACED_CALLERS(k, DECLARE)
PLACED_CALLERS(m, DECLARE)
extern function direct_call_kk, direct_call_km, direct_call_mk, direct_call_mm;
extern function once_k, twice_k, once_m, twice_m;

static const struct call calls[] = {
	CALL(base_empty, 11)
	CALL(base_target, 16)
	CALL(once_k, 11)
	CALL(twice_k, 11)
	CALL(once_m, 11)
	CALL(twice_m, 11)
#ifndef SAME_UNIT
	CALL(direct_call_kk, 16)
	CALL(direct_call_km, 16)
	CALL(direct_call_mk, 16)
	CALL(direct_call_mm, 16)
#endif
	PLACED_CALLERS(k, CALLS)
	PLACED_CALLERS(m, CALLS)
};

int main(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long result = between_marks(calls[i].function, 10);

		if (result != calls[i].result) {
			fprintf(stderr, "%s: %ld instead of %ld\n",
				calls[i].name, result, calls[i].result);
			return 1;
		}
		printf("%s\n", calls[i].name);
	}
	return 0;
}
