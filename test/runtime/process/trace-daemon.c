/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All calls of a daemon are recorded, although after its setup the daemon cannot open
 * files of the recording. Daemons change their user and fork workers, change their root
 * directory, or use all descriptors. Only root may enter the directories of the
 * recording.
 *
 * Some files are reserved for children that cannot create one. Unused files are not
 * counted as data and are deleted at the end. If there are too few, a message names the
 * loss and its reason.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir -p %t/root && chmod 700 %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t

// RUN: %patchbay record -t function -F step -o w -- ./prog workers 8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORKERS
// RUN: %patchbay report -i w 2>&1 | FileCheck %s --check-prefix=WORKERS-CALLS
// RUN: find w -empty | count 0
// WORKERS-NOT: warning
// WORKERS: 17 processes recorded in w
// WORKERS-CALLS-NOT: warning
// WORKERS-CALLS: {{^}} 1700 step prog 100.0{{$}}

// RUN: %patchbay record -t function -F step -o many -- ./prog workers 10 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// RUN: not %patchbay report -i many 2>&1 | FileCheck %s --check-prefix=MANY-CALLS
// MANY: many: 400 events of forked children were lost: the children could not create a file as user 65534: Permission denied; let that user write to the directory (-o), or record it as that user
// MANY: 17 processes recorded in many
// MANY-CALLS: many: 400 events of forked children were lost
// MANY-CALLS: {{^}} 1700 step prog 100.0{{$}}

/* During the recording the spare files are ignored by readers. */
// RUN: %python %S/../Inputs/daemon.py %patchbay ./prog

// RUN: %patchbay record -t function -F step -o root.data -- ./prog chroot root 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: %patchbay report -i root.data 2>&1 | FileCheck %s --check-prefix=CHROOT
// CHROOT-NOT: warning
// CHROOT: {{^}}  300 step prog 100.0{{$}}

// RUN: %patchbay record -t function -F step -o full -- ./prog full 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: %patchbay report -i full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL-NOT: warning
// FULL: {{^}}  200 step prog 100.0{{$}}
// ONE-NOT: warning
#include "../Inputs/check.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 65534
#define MOST 200

OPAQUE void step(void) {}

static void *calls(void *arg)
{
	for (int i = 0; i < 100; i++)
		step();
	return arg;
}

/* Each thread has its own block. */
static void in_thread(void *(*run)(void *))
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, run, NULL));
	CHECK(!pthread_join(thread, NULL));
}

static void wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void become_nobody(void)
{
	CHECK(!setgroups(0, NULL));
	CHECK(!setgid(OTHER_USER));
	CHECK(!setuid(OTHER_USER));
}

/* A worker forks a child. Worker and child make calls at the same time. */
static void worker(void)
{
	pid_t pid = fork();

	calls(NULL);
	if (pid)
		wait_for(pid);
	_exit(0);
}

static void workers(int nr)
{
	pid_t pid[MOST];

	CHECK(nr <= MOST);
	for (int i = 0; i < nr; i++) {
		pid[i] = fork();
		if (!pid[i])
			worker();
	}
	for (int i = 0; i < nr; i++)
		wait_for(pid[i]);
}

/* Forks a worker that waits for a command: to work, or to end. */
static void serve(int in_background, int is_idle)
{
	char byte;
	pid_t pid = fork();

	if (pid) {
		if (!in_background)
			wait_for(pid);
		return;
	}
	if (!is_idle)
		calls(NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	CHECK(!read(STDIN_FILENO, &byte, 1));
	if (!is_idle)
		in_thread(calls);
	_exit(0);
}

static void open_all(int fd[MOST])
{
	int nr = 0;

	while ((fd[nr] = dup(STDIN_FILENO)) >= 0)
		CHECK(++nr < MOST);
}

int main(int argc, char **argv)
{
	const struct rlimit few = { 64, 64 };
	int fd[MOST];
	pid_t pid;

	CHECK(argc > 1);
	calls(NULL);
	if (!strcmp(argv[1], "workers")) {
		become_nobody();
		workers(atoi(argv[2]));
	} else if (!strcmp(argv[1], "serve")) {
		become_nobody();
		serve(0, 0);
	} else if (!strcmp(argv[1], "background")) {
		become_nobody();
		serve(1, 0);
	} else if (!strcmp(argv[1], "idle")) {
		serve(0, 1);
	} else if (!strcmp(argv[1], "chroot")) {
		CHECK(!chroot(argv[2]) && !chdir("/"));
		in_thread(calls);
		pid = fork();
		if (!pid)
			calls(NULL);
		else
			wait_for(pid);
	} else if (!strcmp(argv[1], "full")) {
		CHECK(!setrlimit(RLIMIT_NOFILE, &few));
		open_all(fd);
		in_thread(calls);
	}
	return 0;
}
