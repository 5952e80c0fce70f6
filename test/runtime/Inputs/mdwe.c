/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: mdwe COMMAND [ARGUMENTS]: runs a command that, like all of its children, may
 * not make memory executable.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argc;
	if (prctl(65 /* PR_SET_MDWE */, 1 /* REFUSE_EXEC_GAIN */, 0, 0, 0))
		perror("PR_SET_MDWE");
	else
		execvp(argv[1], argv + 1);
	return 1;
}
