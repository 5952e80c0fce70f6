/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls one function in a loop. The loop and the function are in separate files, so that
 * the loop is equal in all systems. Each call adds one, so the check value is the number of
 * calls.
 */
#include "worker.h"

unsigned int hot_callee(unsigned int x);

void load_prepare(void)
{
}

/* Aligned, so that no system benefits from the loop's address. */
__attribute__((aligned(64))) uint64_t load_run(uint64_t calls)
{
	unsigned int x = 0;

	for (uint64_t i = 0; i < calls; i++)
		x = hot_callee(x);
	return x;
}
