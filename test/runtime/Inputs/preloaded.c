/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints whether AddressSanitizer's runtime is loaded in this program and in the
 * program that the argument names.
 */
#include <stdio.h>
#include <stdlib.h>

void __asan_init(void) __attribute__((weak));

__attribute__((noinline)) int traced(int x)
{
	__asm__ volatile("");
	return x + 1;
}

int main(int argc, char **argv)
{
	printf("%d %s ASan\n", traced(41), __asan_init ? "with" : "without");
	fflush(stdout);
	return argc > 1 ? system(argv[1]) : 0;
}
