/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that holds the recording's lock never calls the program's malloc(), because
 * it could deadlock: another thread holds the heap's lock and is interrupted by a
 * signal handler, whose traced call waits for the recording's lock. malloc() and free()
 * below check the signal mask: only the recording's lock blocks all signals except
 * SIGTRAP.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -g -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build -g -rdynamic %s -o %t/prog -lpthread
// DEFINE: %{check} = ./prog ./plugin.so 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay record -o 0 -t function_profile -- %{check}
// RUN: cd %t && %patchbay record -o 1 -t function_profile --histogram -- %{check}
// RUN: cd %t && %patchbay record -o 2 -t function_duration -- %{check}
// RUN: cd %t && %patchbay record -o 3 -t function_duration --sample 1/2 -- %{check}
// RUN: cd %t && %patchbay record -o 4 -t function_graph -- %{check}
// RUN: cd %t && %patchbay record -o 5 -t function -- %{check}
// RUN: cd %t && %patchbay record -o 6 -t function_duration --args 'work*' -- %{check}
// RUN: cd %t && %patchbay record -o 7 -t function --args 'work_long(a, retval)' -- %{check}
// RUN: cd %t && %patchbay record -o 8 -t function_duration --max-overhead 1%% -- %{check}
// RUN: cd %t && %patchbay record -o 9 -t function_duration --max-rate 10 -- %{check}
// RUN: cd %t && %patchbay record -o 10 -t function_duration --rotate-size 1M --keep 2 -- %{check}
// RUN: cd %t && %patchbay record -o 11 -t function_duration --why 1ms -- %{check}
// RUN: cd %t && %patchbay record -o 12 -t function_duration --no-sleep-time -- %{check}
// RUN: cd %t && %patchbay record -o 13 -t function_duration --buffer 4M --overwrite -- %{check}
// RUN: cd %t && ./prog ./plugin.so %patchbay 2>&1 | FileCheck %s
// CHECK: {{^}}under the lock: 0 of {{[1-9][0-9]+}} calls, children: 0 failed{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin_one(int a) { return a + 1; }
OPAQUE int plugin_two(int a) { return a + plugin_one(a); }
#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

static long total, wrong, failed;

NOT_TRACED static void look(void)
{
	const uint64_t all = ~(1ull << (5 - 1) | 1ull << (9 - 1) | 1ull << (19 - 1));
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, 0, NULL, &mask, sizeof(mask));
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	if (mask == all)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *block);

NOT_TRACED void *malloc(size_t size)
{
	look();
	return __libc_malloc(size);
}

NOT_TRACED void *calloc(size_t nr, size_t size)
{
	look();
	return __libc_calloc(nr, size);
}

NOT_TRACED void *realloc(void *old, size_t size)
{
	look();
	return __libc_realloc(old, size);
}

NOT_TRACED void free(void *block)
{
	look();
	__libc_free(block);
}

OPAQUE int work(int a)
{
	return a + 1;
}

OPAQUE int work_long(const char *a)
{
	return (int)strlen(a) + work(1);
}

static void *run(void *arg)
{
	for (int i = 0; i < 2000; i++)
		work_long(arg);
	return arg;
}

static void step(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*two)(int) = (int (*)(int))dlsym(library, "plugin_two");
	pthread_t thread;
	pid_t child;
	int status;

	pthread_create(&thread, NULL, run, "text");
	for (int i = 0; i < 1000; i++)
		two(i);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		alarm(600);
		run("child");
		exit(wrong != 0);
	}
	waitpid(child, &status, 0);
	failed += status != 0;
	dlclose(library);
}

int main(int argc, char **argv)
{
	char command[4096];

	if (argc < 2)
		return 2;
	for (int i = 0; i < 20; i++)
		step(argv[1]);
	for (int i = 0; i < 3 && argc > 2; i++) {
		snprintf(command, sizeof(command),
			 "%s record -p %d -o data -t function_profile --histogram -- sleep 0.1",
			 argv[2], getpid());
		if (fork() == 0) {
			execl("/bin/sh", "sh", "-c", command, NULL);
			_exit(127);
		}
		for (int j = 0; j < 20; j++)
			step(argv[1]);
		wait(NULL);
	}
	fprintf(stderr, "under the lock: %ld of %ld calls, children: %ld failed\n", wrong, total,
		failed);
	return wrong || failed;
}
#endif
