/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: resident FILE PROGRAM ARGUMENT...
 *
 * Runs the program and exits with its status. Writes the program's maximum memory in KiB
 * and its CPU time in ms to FILE. wait4(2) also counts the memory of the child before
 * exec(2), so the parent must be small: Python would add about 20 MiB.
 */
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static double ms(struct timeval of)
{
	return 1e3 * (double)of.tv_sec + 1e-3 * (double)of.tv_usec;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
	struct rusage usage;
	int status;
	pid_t pid;

	if (!file || posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ) ||
	    wait4(pid, &status, 0, &usage) != pid)
		return 127;
	fprintf(file, "%ld %.1f\n", usage.ru_maxrss,
		ms(usage.ru_utime) + ms(usage.ru_stime));
	if (fclose(file))
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
