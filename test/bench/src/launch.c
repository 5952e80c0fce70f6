/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: launch PROGRAM
 *
 * A worker like worker.c whose calls are runs of a program, from exec to exit. The time of
 * a slice is the CPU time of these runs. "launch faults PROGRAM" runs the program twice,
 * drops the file from the page cache before the first run, and prints one line per run: the
 * number of page faults that read the file, and of other page faults.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *program)
{
	fprintf(stderr, "%s: cannot be run, or failed\n", program);
	_Exit(1);
}

static struct rusage run(char *program)
{
	char *argv[] = { program, NULL };
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) ||
	    wait4(pid, &status, 0, &usage) != pid || status)
		fail(program);
	return usage;
}

static uint64_t ns(struct timeval t)
{
	return t.tv_sec * UINT64_C(1000000000) + t.tv_usec * UINT64_C(1000);
}

static void faults(char *program)
{
	int fd = open(program, O_RDONLY);

	if (fd < 0 || fdatasync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		fail(program);
	close(fd);
	for (int i = 0; i < 2; i++) {
		struct rusage usage = run(program);

		printf("%ld %ld\n", usage.ru_majflt, usage.ru_minflt);
	}
}

int main(int argc, char **argv)
{
	uint64_t slices, calls;

	if (argc == 3 && !strcmp(argv[1], "faults")) {
		faults(argv[2]);
		return 0;
	}
	printf("ready 0 0\n");
	fflush(stdout);
	while (argc == 2 &&
	       scanf("%" SCNu64 "%" SCNu64, &slices, &calls) == 2) {
		printf("%" PRIu64, slices * calls);
		for (uint64_t i = 0; i < slices; i++) {
			uint64_t taken = 0;

			for (uint64_t j = 0; j < calls; j++) {
				struct rusage usage = run(argv[1]);

				taken += ns(usage.ru_utime) +
					 ns(usage.ru_stime);
			}
			printf(" %" PRIu64, taken);
		}
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
