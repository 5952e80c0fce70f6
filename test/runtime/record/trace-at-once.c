/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A running recording is neither moved nor deleted, whether it belongs to another
 * command or to a process that has outlived its command. A command that requests the
 * directory fails with one line.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: cd %t && %python %S/../Inputs/record-at-once.py %patchbay ./prog
#include "../Inputs/check.h"

#include <string.h>
#include <unistd.h>

OPAQUE void step(void) {}

static void go_on_in_background(void)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (child)
		_exit(0);
	setsid();
}

int main(int argc, char **argv)
{
	char line[16];

	step();
	if (argc > 1 && !strcmp(argv[1], "daemon"))
		go_on_in_background();
	step();
	puts("started");
	fflush(stdout);
	/* Wait until the parent writes a line or ends. */
	while (read(STDIN_FILENO, line, sizeof(line)) > 0)
		;
	for (int i = 0; i < 100000; i++)
		step();
	return 0;
}
