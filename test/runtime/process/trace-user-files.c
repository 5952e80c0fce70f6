/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process keeps the descriptor of its data file when it changes its user, root
 * directory or mounts, or restricts itself by Landlock.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t && %patchbay record -t function -F step -o forked -- ./prog forked
// RUN: cd %t && %patchbay record -t function -F step -o closed -- ./prog closed 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name closed | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o few -- ./prog few 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name few | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o root -- ./prog root 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name root | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o files -- ./prog files 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name files | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o landlock -- ./prog landlock 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name landlock | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o unshare -- ./prog unshare 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name unshare | FileCheck %s --check-prefix=ALL
// RUN: cd %t && %patchbay record -t function -F step -o setns -- ./prog setns 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report -f calls,name setns | FileCheck %s --check-prefix=ALL
// CHECK-NOT: warning
// ALL: {{^ *}}4001 step
#include "../Inputs/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 65534
#define THREADS 4

OPAQUE void step(void) {}

static void *calls(void *arg)
{
	for (int i = 0; i < 1000; i++)
		step();
	return arg;
}

/* Each thread needs a new block. */
static void many_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, calls, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

/* Returns the number of data files that are open in this process. */
static int nr_open(void)
{
	DIR *all = opendir("/proc/self/fd");
	const struct dirent *entry;
	char name[4096];
	ssize_t size;
	int nr = 0;

	CHECK(all != NULL);
	while ((entry = readdir(all))) {
		size = readlinkat(dirfd(all), entry->d_name, name, sizeof(name) - 1);
		if (size < 0)
			continue;
		name[size] = '\0';
		nr += strstr(name, ".pbd") != NULL;
	}
	closedir(all);
	return nr;
}

static void for_a_while(void)
{
	CHECK(!seteuid(OTHER_USER));
	CHECK(!seteuid(0));
	CHECK_EQ(nr_open(), 1);
}

/*
 * The child closes the file. Otherwise, an attacker who controls a worker could
 * truncate the file that the server has mapped.
 */
static void forked(void)
{
	int status;
	pid_t pid;

	for_a_while();
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK_EQ(nr_open(), 0);
		CHECK(!setuid(OTHER_USER));
		step();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(nr_open(), 1);
}

/* Closes all descriptors, as daemons do. */
static void closed(void)
{
	for_a_while();
	for (int fd = 3; fd < 2000; fd++)
		close(fd);
	CHECK(!setuid(OTHER_USER));
	many_threads();
}

/* The data file's descriptor is never 0 or 1, even if these numbers are free. */
static void few(void)
{
	const struct rlimit limit = { 200, 200 };

	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	CHECK(!setuid(OTHER_USER));
	CHECK(fcntl(STDIN_FILENO, F_GETFD) < 0);
	CHECK(fcntl(STDOUT_FILENO, F_GETFD) < 0);
	many_threads();
}

/* The new root directory contains neither the data file nor /proc. */
static void root(void)
{
	CHECK(!mkdir("jail", 0700));
	CHECK(!chroot("jail"));
	CHECK(!chdir("/"));
	many_threads();
}

/* No file may be opened from now on. Kernels without Landlock restrict nothing. */
static void landlock(void)
{
	const uint64_t all_of_version_1 = 0x1fff;
	const int rules = (int)syscall(SYS_landlock_create_ruleset, &all_of_version_1,
				       sizeof(all_of_version_1), 0);

	if (rules >= 0) {
		CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
		CHECK(!syscall(SYS_landlock_restrict_self, rules, 0));
		CHECK(open("/", O_RDONLY) < 0);
	}
	many_threads();
}

/* Another file system hides the data file. */
static void hide_files(void)
{
	CHECK(!unshare(CLONE_NEWNS));
	CHECK(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	CHECK(!mount("none", ".", "tmpfs", 0, NULL));
}

/* Enters the mounts of another process. */
static void enter(void)
{
	char name[64], byte;
	int to_child[2], to_parent[2], fd;
	pid_t pid;

	CHECK(!pipe(to_child) && !pipe(to_parent));
	pid = fork();
	CHECK(pid >= 0);
	close(to_child[!pid]);
	close(to_parent[!!pid]);
	if (!pid) {
		hide_files();
		CHECK_EQ(write(to_parent[1], "", 1), 1);
		_exit((int)read(to_child[0], &byte, 1));
	}
	CHECK_EQ(read(to_parent[0], &byte, 1), 1);
	snprintf(name, sizeof(name), "/proc/%d/ns/mnt", pid);
	fd = open(name, O_RDONLY);
	CHECK(!setns(fd, CLONE_NEWNS));
	close(to_child[1]);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	many_threads();
}

static void *for_files(void *arg)
{
	setfsuid(OTHER_USER);
	CHECK_EQ(setfsuid(-1), OTHER_USER);
	return calls(arg);
}

/* Threads of a file server act as the user that each one serves. */
static void files(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, for_files, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	step();
	if (!strcmp(argv[1], "forked"))
		forked();
	else if (!strcmp(argv[1], "closed"))
		closed();
	else if (!strcmp(argv[1], "root"))
		root();
	else if (!strcmp(argv[1], "files"))
		files();
	else if (!strcmp(argv[1], "landlock"))
		landlock();
	else if (!strcmp(argv[1], "setns"))
		enter();
	else if (!strcmp(argv[1], "unshare"))
		hide_files(), many_threads();
	else
		few();
	return 0;
}
