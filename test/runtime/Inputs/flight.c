/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Executes the letters that it reads:
 *   q  makes a thousand quick calls
 *   s  makes a slow call
 *   x  calls the function that stops recording
 *   a  calls abort()
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) void quick(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void slow(void)
{
	const struct timespec time = { .tv_nsec = 30000000 };

	nanosleep(&time, NULL);
}

__attribute__((noinline)) void stopping(void)
{
	__asm__ volatile("");
}

int main(void)
{
	int word;

	puts("ready");
	fflush(stdout);
	while ((word = getchar()) != EOF) {
		if (word == 'q')
			for (int i = 0; i < 1000; i++)
				quick();
		else if (word == 's')
			slow();
		else if (word == 'x')
			stopping();
		else if (word == 'a')
			abort();
		else
			continue;
		printf("%c\n", word);
		fflush(stdout);
	}
	return 0;
}
