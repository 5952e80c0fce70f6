/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each process of a tree can be controlled separately: a server that became a daemon in
 * one of two ways, and each of its workers.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t && %python %S/../Inputs/control-tree.py %patchbay ./prog
#include "../Inputs/check.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4

OPAQUE void step(void) {}
OPAQUE void other(void) {}

static void *nothing(void *arg)
{
	pause();
	return arg;
}

static void say(const char *what)
{
	printf("%s %d\n", what, getpid());
	fflush(stdout);
}

/* Work until the parent has ended. */
static _Noreturn void work(const char *name)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	say(name);
	for (;;) {
		step();
		other();
		nanosleep(&wait, NULL);
	}
}

static void serve(void)
{
	pthread_t thread;

	/* The child of a program with a listening thread has one, too. */
	CHECK(!pthread_create(&thread, NULL, nothing, NULL));
	for (int i = 0; i < WORKERS; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
			work("worker");
		}
	}
	work("master");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	other();
	if (!strcmp(how, "daemon"))
		CHECK(!daemon(1, 1));
	if (!strcmp(how, "twice")) {
		if (fork())
			return 0;
		setsid();
		if (fork())
			return 0;
	}
	serve();
	return 0;
}
