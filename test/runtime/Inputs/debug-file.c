/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that exports no function. With an argument, the program runs until its
 * input ends.
 */
#include <stdio.h>

static int __attribute__((noinline)) step(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static int __attribute__((noinline)) stride(int n)
{
	__asm__ volatile("" : "+r"(n));
	return step(n) + 1;
}

static int __attribute__((noinline)) halt(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

int main(int argc, char **argv)
{
	int n = 0;

	(void)argv;
	if (argc > 1) {
		setvbuf(stdout, NULL, _IOLBF, 0);
		do
			puts("ready");
		while (getchar() != EOF && (n = stride(n)));
	}
	n = halt(stride(n));
	return n ? 0 : 1;
}
