/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints its arguments to standard output, and a line to standard error. */
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("<%s>\n", argv[i]);
	fprintf(stderr, "%d arguments\n", argc - 1);
	return 40 + argc;
}
