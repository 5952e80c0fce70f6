/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links libpatchbay, but has no instrumented function. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
