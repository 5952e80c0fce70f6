/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded thread with a small stack can start programs with a large environment. If
 * the path is an invalid pointer, exec returns an error.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %t/prog | FileCheck %s
// RUN: %patchbay record -t count -o %t/data -- %t/prog | FileCheck %s
// CHECK: execve 7 execvp 7 posix_spawn 7 posix_spawnp 7
// CHECK-NEXT: errors 14 14 14 14

#include "../Inputs/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

OPAQUE void traced(void) {}

static int status_of(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int statuses[4];

static void *start_all(void *arg)
{
	char *args[] = { "sh", "-c", "exit 7", NULL };
	pid_t pid;

	pid = vfork();
	if (!pid) {
		execve("/bin/sh", args, environ);
		_exit(99);
	}
	statuses[0] = status_of(pid);
	pid = vfork();
	if (!pid) {
		execvp("sh", args);
		_exit(99);
	}
	statuses[1] = status_of(pid);
	CHECK(!posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ));
	statuses[2] = status_of(pid);
	CHECK(!posix_spawnp(&pid, "sh", NULL, NULL, args, environ));
	statuses[3] = status_of(pid);
	return arg;
}

int main(void)
{
	char *const wrong = (char *)8, *args[] = { "a", NULL };
	pthread_attr_t attr;
	pthread_t thread;
	char name[16];

	traced();
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "VARIABLE%d", i);
		CHECK(!setenv(name, "value", 1));
	}
	CHECK(!pthread_attr_init(&attr));
	CHECK(!pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	CHECK(!pthread_create(&thread, &attr, start_all, NULL));
	CHECK(!pthread_join(thread, NULL));
	printf("execve %d execvp %d posix_spawn %d posix_spawnp %d\n", statuses[0],
	       statuses[1], statuses[2], statuses[3]);
	CHECK_EQ(execve(wrong, args, environ), -1);
	printf("errors %d", errno);
	CHECK_EQ(syscall(SYS_execve, wrong, args, environ), -1);
	printf(" %d", errno);
	CHECK_EQ(execveat(AT_FDCWD, wrong, args, environ, AT_EMPTY_PATH), -1);
	printf(" %d", errno);
	printf(" %d\n", posix_spawn(&(pid_t){ 0 }, wrong, NULL, NULL, args, environ));
	return 0;
}
