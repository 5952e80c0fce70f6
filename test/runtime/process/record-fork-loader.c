/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A child never inherits a locked loader if the program forks while the listening
 * thread asks the loader for its modules. Without the lock of fork_lock.h one of three
 * recordings hung.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t && %patchbay record -o a --live -- ./prog ./plugin.so 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay record -o b --max-overhead 1%% -- ./prog ./plugin.so 2>&1 \
// RUN:   | FileCheck %s
// CHECK: {{^}}children: 0 of 200 failed{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin(int a) { return a + 1; }
#else

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 200 };

OPAQUE int work(int a)
{
	return a + 1;
}

static void *run(void *arg)
{
	for (int i = 0; i < 2000; i++)
		work(i);
	return arg;
}

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	++*(int *)arg;
	return 0;
}

/* Returns 1 if the child hung. */
static int step(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
	int status, nr = 0;
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, run, NULL);
	for (int i = 0; i < 1000; i++)
		plugin(i);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		alarm(600);
		dl_iterate_phdr(count, &nr);
		exit(nr == 0);
	}
	waitpid(child, &status, 0);
	dlclose(library);
	return status != 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	/* Stop at the first child that hung, to save time. */
	for (int i = 0; argc > 1 && i < FORKS && !failed; i++)
		failed += step(argv[1]);
	printf("children: %d of %d failed\n", failed, FORKS);
	return 0;
}
#endif
