/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a program becomes a daemon, `patchbay record` ends with the first process, and
 * reports that the daemon is still recording. The daemon's later calls are recorded.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: cd %t && %python %S/../Inputs/background.py %patchbay ./prog
#include "../Inputs/check.h"

#include <unistd.h>

OPAQUE void step(void) {}

int main(void)
{
	int ends[2];
	char byte;

	step();
	CHECK(!pipe(ends));
	if (fork()) {
		CHECK_EQ(read(ends[0], &byte, 1), 1);
		return 0;
	}
	step();
	CHECK_EQ(write(ends[1], "", 1), 1);
	/* Wait until the parent ends the program. */
	CHECK_EQ(read(STDIN_FILENO, &byte, 1), 0);
	step();
	return 0;
}
