/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The program of most of these pages. */
#include <stdio.h>

__attribute__((noinline)) int words_in(const char *text)
{
	int words = 0;

	for (int inside = 0; *text; text++) {
		words += !inside && *text != ' ';
		inside = *text != ' ';
	}
	return words;
}

int main(void)
{
	printf("%d\n", words_in("one two") + words_in("three"));
	return 0;
}
