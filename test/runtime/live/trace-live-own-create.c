/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Some programs define their own pthread_create(), which counts threads. The runtime
 * does not use it for the listening thread, neither at the program's start nor with -p.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -fno-sanitize=kcfi %s -o %t/prog -ldl
// RUN: %patchbay record --live -F run -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/data | FileCheck %s --check-prefix=CALLS
// RUN: cd %t && timeout 600 ./prog %patchbay | FileCheck %s
// CHECK: {{^}}3 threads{{$}}
// CALLS: {{^ *}}3 run{{$}}
#include "../Inputs/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int nr_created;

OPAQUE int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*start)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");

	nr_created++;
	return next(thread, attr, start, arg);
}

OPAQUE static void *run(void *arg)
{
	return arg;
}

/* Runs a command that records this process for a while. */
static void be_visited(const char *patchbay)
{
	char pid[16];
	pid_t command;
	int status;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	command = fork();
	if (!command) {
		execl(patchbay, patchbay, "record", "-p", pid, "--", "sleep", "0.1", NULL);
		_exit(1);
	}
	while (!waitpid(command, &status, WNOHANG))
		usleep(1000);
	CHECK_EQ(status, 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		be_visited(argv[1]);
	for (int i = 0; i < 3; i++) {
		CHECK(!pthread_create(&thread, NULL, run, NULL));
		CHECK(!pthread_join(thread, NULL));
	}
	printf("%d threads\n", nr_created);
	return 0;
}
