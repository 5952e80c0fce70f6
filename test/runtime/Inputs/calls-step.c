/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check.h"

OPAQUE void step(void) {}

int main(void)
{
	step();
	puts("ran");
	return 0;
}
