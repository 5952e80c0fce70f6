/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rotated CALLS [CHILDREN]: four threads call often() CALLS times each; then the same
 * happens in each of CHILDREN forked children.
 *
 * rotated until N FOLDER: the threads call often() until the folder has N complete
 * files or, if N is 0, until a file was deleted. With one more argument the program
 * kills itself at the end.
 *
 * Prints "ready" at the start. The program lowers its descriptor limit to
 * LIMITS.
 */
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static long calls;

OPAQUE int often(int a) { return a + 1; }

static void *call(void *arg)
{
	for (long i = 0; calls ? i < calls : !stop; i++)
		often((int)i);
	return arg;
}

static char first[300];

/* Counts complete files, and remembers the first file that it finds. */
static int count(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int nr = 0;

	CHECK(dir);
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, "Z.pbd"))
			continue;
		if (!nr++ && !*first)
			snprintf(first, sizeof(first), "%s/%s", folder,
				 entry->d_name);
	}
	closedir(dir);
	return nr;
}

static void fork_one(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		call(NULL);
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

int main(int argc, char **argv)
{
	pthread_t thread[4];

	calls = atol(argv[1]);
#ifdef LIMITS
	CHECK(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ LIMITS, LIMITS }));
#endif
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&thread[i], NULL, call, NULL));
	if (!strcmp(argv[1], "until")) {
		puts("ready");
		fflush(stdout);
		while (count(argv[3]) < atoi(argv[2]) || !*first ||
		       (!atoi(argv[2]) && !access(first, F_OK)))
			usleep(1000);
		if (argc == 5)
			raise(SIGKILL);
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(thread[i], NULL));
	for (int i = 0; argc == 3 && calls && i < atoi(argv[2]); i++)
		fork_one();
	return 0;
}
