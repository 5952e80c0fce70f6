/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls one function in a loop, like load_hot.c. CALL is the way to call the function. */
#include "hot_form.h"
#include "worker.h"

#ifndef CALL
#define CALL hot_callee
#endif

void load_prepare(void)
{
}

__attribute__((aligned(64))) uint64_t load_run(uint64_t calls)
{
	unsigned int x = 0;

	for (uint64_t i = 0; i < calls; i++)
		x = CALL(x);
	return x;
}
