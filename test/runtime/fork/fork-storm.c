/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that arm, fork, allocate and load modules at the same time do not deadlock:
 *
 *	fork-storm PLUGIN [SECONDS]
 *
 * fork() takes the allocator's locks and the library's. A thread that holds a lock of
 * the library must not allocate. Otherwise both lock orders would occur, and threads
 * could deadlock. The test names threads that make no progress for some time. The
 * library and the allocator must also work in the forked child, which arms, calls and
 * allocates.
 *
 * With this file, the C library's allocator is tested; fork-storm-*.test test others.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build %s -o %t/storm %link
// RUN: %t/storm %t/plugin.so 3 | FileCheck %s
// CHECK: {{^}}done: {{[1-9][0-9]*}} times armed, {{[1-9][0-9]*}} forked, {{[1-9][0-9]*}} allocated, {{[1-9][0-9]*}} loaded{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin(int a) { return a + 1; }
#else

#include "../Inputs/count-calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

OPAQUE int one(int a) { return a; }
OPAQUE int two(int a) { return a; }

enum { ARMER, FORKER, LOADER, ALLOCATOR, OTHER_ALLOCATOR, NR };
static const char *const names[NR] = { "arming", "forking", "loading",
				       "allocating", "allocating" };
enum { PATIENCE = 600 }; /* seconds: the machine may be busy */

static atomic_int stop;
static _Atomic long rounds[NR];
static const char *path;

static struct patchbay_ops *create(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* Arms by names, makes sets of several tracers, and adds filters for future modules. */
static void arm_some(int round)
{
	const char *const list[] = { "one", "two" };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = list,
						.cnt = 2 };
	struct patchbay_ops *first = create(), *second = create();

	CHECK_EQ(patchbay_arm_filter(first, &filter, 0), 2);
	CHECK(patchbay_arm(second, "*", PATCHBAY_ARM_FUTURE) >= 4);
	CHECK_EQ(one(round), round);
	CHECK_EQ(patchbay_disarm(first, "t*"), 1);
	CHECK_EQ(patchbay_ops_destroy(first), 0);
	CHECK(patchbay_disarm(second, "*") >= 4);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
}

static void *arm(void *arg)
{
	for (int i = 0; !stop; i++) {
		arm_some(i);
		rounds[ARMER]++;
	}
	return arg;
}

static void allocate(unsigned int *random)
{
	enum { MANY = 64 };
	void *blocks[MANY];

	for (int i = 0; i < MANY; i++) {
		*random = *random * 1103515245 + 12345;
		blocks[i] = malloc(*random >> 16 & 0x7fff);
		CHECK(blocks[i]);
	}
	for (int i = 0; i < MANY; i++)
		free(blocks[i]);
}

static void *allocate_much(void *arg)
{
	unsigned int random = (unsigned int)(uintptr_t)arg;

	while (!stop) {
		allocate(&random);
		rounds[(uintptr_t)arg]++;
	}
	return arg;
}

/* Most children end immediately, so that there are many. */
static void child(long round)
{
	unsigned int random = 1;

	alarm(patience(PATIENCE));
	if (round % 8 == 0) {
		allocate(&random);
		arm_some(7);
	}
	_exit(0);
}

static void *fork_often(void *arg)
{
	while (!stop) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (!pid)
			child(rounds[FORKER]);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		rounds[FORKER]++;
	}
	return arg;
}

static void *load(void *arg)
{
	while (!stop) {
		void *library = dlopen(path, RTLD_NOW);

		CHECK(library);
		CHECK_EQ(((int (*)(int))dlsym(library, "plugin"))(1), 2);
		CHECK_EQ(dlclose(library), 0);
		rounds[LOADER]++;
	}
	return arg;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Uses no stdio and no exit(), because hung threads may hold their locks. */
static void watch(double end)
{
	double moved[NR];
	long before[NR];

	for (int i = 0; i < NR; i++) {
		moved[i] = now();
		before[i] = 0;
	}
	for (int going = 1; going;) {
		usleep(20000);
		going = now() < end;
		for (int i = 0; i < NR; i++) {
			going |= !rounds[i];
			if (rounds[i] != before[i]) {
				before[i] = rounds[i];
				moved[i] = now();
			} else if (now() > moved[i] + patience(PATIENCE)) {
				(void)!write(1, names[i], strlen(names[i]));
				(void)!write(1, " hangs\n", 7);
				_exit(1);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static void *(*const what[NR])(void *) = { arm, fork_often, load,
						   allocate_much,
						   allocate_much };
	pthread_t threads[NR];

	CHECK(argc > 1);
	path = argv[1];
	for (uintptr_t i = 0; i < NR; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, what[i], (void *)i),
			 0);
	watch(now() + (argc > 2 ? atof(argv[2]) : 1));
	alarm(patience(PATIENCE));
	stop = 1;
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	printf("done: %ld times armed, %ld forked, %ld allocated, %ld loaded\n",
	       rounds[ARMER], rounds[FORKER],
	       rounds[ALLOCATOR] + rounds[OTHER_ALLOCATOR], rounds[LOADER]);
	return 0;
}
#endif
