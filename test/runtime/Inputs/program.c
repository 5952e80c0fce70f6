/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program to record. The arguments choose the actions. Linked with traced.s, the
 * program has records.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void copy(const char *from, const char *to)
{
	char bytes[4096];
	int in = open(from, O_RDONLY), out = open(to, O_CREAT | O_WRONLY, 0666);
	ssize_t size = read(in, bytes, sizeof(bytes));

	if (size < 0 || write(out, bytes, (size_t)size) != size)
		abort();
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *verb = argv[i];

		if (!strcmp(verb, "env")) {
			printf("PATCHBAY=%s\n", getenv("PATCHBAY"));
			printf("LD_PRELOAD=%s\n", getenv("LD_PRELOAD"));
		} else if (!strcmp(verb, "args")) {
			while (++i < argc)
				printf("arg %s\n", argv[i]);
		} else if (!strcmp(verb, "exit")) {
			exit(atoi(argv[++i]));
		} else if (!strcmp(verb, "kill")) {
			kill(getpid(), atoi(argv[++i]));
		} else if (!strcmp(verb, "wait")) {
			/* Waits for a signal for at most this number of seconds */
			alarm(atoi(argv[++i]));
			puts("waiting");
			fflush(stdout);
			pause();
		} else if (!strcmp(verb, "copy")) {
			copy(argv[i + 1], argv[i + 2]);
			i += 2;
		} else if (!strcmp(verb, "touch")) {
			close(open(argv[++i], O_CREAT | O_WRONLY, 0666));
		}
	}
	return 0;
}
