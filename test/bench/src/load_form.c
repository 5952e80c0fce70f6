/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One function, called in a loop as in load_hot.c; CALL is the way of calling. */
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
