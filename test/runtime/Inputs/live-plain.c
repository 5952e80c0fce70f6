/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program with libpatchbay, but not of it. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
