/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a program started by root changes to a user that cannot access the recording,
 * later calls are still recorded, in new blocks. The program calls setuid(), calls
 * setuid() in a child that has recorded nothing yet, or makes raw system calls.
 * `patchbay live` still works, including snapshots and arming more functions.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t && %python %S/../Inputs/other-user.py %patchbay ./prog
#include "../Inputs/check.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 65534
#define THREADS 40

OPAQUE void step(void) {}
OPAQUE void other(void) {}

static void *calls(void *arg)
{
	for (int i = 0; i < 1000; i++)
		step();
	return arg;
}

static void become_nobody(const char *how)
{
	CHECK(!setgroups(0, NULL));
	CHECK(!setgid(OTHER_USER));
	if (!strcmp(how, "syscall"))
		CHECK(!syscall(SYS_setresuid, OTHER_USER, OTHER_USER, OTHER_USER));
	else
		CHECK(!setuid(OTHER_USER));
	CHECK(open("/proc/self/mem", O_RDWR) < 0);
}

/* All threads exist at the same time, so that each has its own block. */
static void many_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, calls, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static void serve(void)
{
	char order;

	printf("ready %d\n", getpid());
	fflush(stdout);
	while (read(STDIN_FILENO, &order, 1) == 1) {
		if (order == 't')
			many_threads();
		for (int i = 0; order == 'o' && i < 10; i++)
			other();
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	CHECK(argc == 3);
	step();
	if (!strcmp(argv[1], "child")) {
		pid = fork();
		CHECK(pid >= 0);
		if (pid) {
			CHECK_EQ(waitpid(pid, &status, 0), pid);
			CHECK_EQ(status, 0);
			return 0;
		}
	}
	become_nobody(argv[1]);
	CHECK(open(argv[2], O_RDONLY) < 0);
	serve();
	return 0;
}
