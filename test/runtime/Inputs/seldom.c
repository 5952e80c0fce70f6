/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* seldom MS: calls often() once a millisecond. Prints "ready" at the start. */
#include "check.h"

#include <unistd.h>

OPAQUE int often(int a) { return a + 1; }

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	puts("ready");
	fflush(stdout);
	for (int i = atoi(argv[1]); i; i--) {
		often(i);
		usleep(1000);
	}
	return 0;
}
