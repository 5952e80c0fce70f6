/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that executes itself some ten times a second, without an end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int main(int argc, char **argv)
{
	const struct timespec time = { .tv_nsec = 30000000 };

	if (argc < 2 || counted(1) != 2)
		abort();
	if (argv[1][0] == 'f') { /* the first time */
		puts("ready");
		fflush(stdout);
	}
	nanosleep(&time, NULL);
	execl(argv[0], argv[0], "again", (char *)NULL);
	abort();
}
