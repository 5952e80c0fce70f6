/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlopen() can load the library into a running program, visible to all modules or only
 * to the caller. The library finds existing modules and is notified of unloaded ones,
 * and new modules find the library.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: cp %t.so %t.other.so
// RUN: %build -fno-sanitize=kcfi %s -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE
// ALONE: {{^}}done{{$}}
// RUN: %t local %patchbay_lib/libpatchbay.so %t.so %t.other.so | FileCheck %s
// RUN: %t global %patchbay_lib/libpatchbay.so %t.so %t.other.so | FileCheck %s
// CHECK: {{^}}done{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plum(int a) { return a + 1; }
#else

#include <patchbay/inspect.h>
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The program is not linked with the library, so dlsym() finds this function. */
static __typeof__(patchbay_ops_create) *ops_create;
static __typeof__(patchbay_ops_destroy) *ops_destroy;
static __typeof__(patchbay_arm) *arm;
static __typeof__(patchbay_disarm) *disarm;
static __typeof__(patchbay_get_stats) *get_stats;

OPAQUE int pear(int a) { return a; }

static volatile int calls, stop;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

static void *keep_calling(void *arg)
{
	(void)arg;
	while (!stop)
		pear(1);
	return NULL;
}

static uint64_t modules(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(get_stats(&stats), 0);
	return stats.modules;
}

/* Returns how many calls of @function a tracer of all functions has seen. */
static int calls_of(int (*function)(int))
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(ops_create(&attr, &ops), 0);
	CHECK(arm(ops, "p*", 0) > 0);
	calls = 0;
	function(1);
	CHECK_EQ(ops_destroy(ops), 0);
	return calls;
}

static int (*plum_of(void *library))(int)
{
	return (int (*)(int))dlsym(library, "plum");
}

static int flags;

static void *come_late(void *argv)
{
	const char *const *path = argv;
	void *runtime = dlopen(path[2], flags);

	CHECK(runtime);
	ops_create = (__typeof__(ops_create))dlsym(runtime, "patchbay_ops_create");
	ops_destroy = (__typeof__(ops_destroy))dlsym(runtime, "patchbay_ops_destroy");
	arm = (__typeof__(arm))dlsym(runtime, "patchbay_arm");
	disarm = (__typeof__(disarm))dlsym(runtime, "patchbay_disarm");
	get_stats = (__typeof__(get_stats))dlsym(runtime, "patchbay_get_stats");
	return NULL;
}

int main(int argc, char **argv)
{
	void *early, *later;
	pthread_t thread, other;

	pear(1);
	if (argc < 5) {
		puts("done");
		return 0;
	}
	flags = RTLD_NOW | (strcmp(argv[1], "global") ? RTLD_LOCAL : RTLD_GLOBAL);
	early = dlopen(argv[3], RTLD_NOW);
	CHECK(early);
	CHECK_EQ(pthread_create(&other, NULL, keep_calling, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, come_late, argv), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);

	/* The modules are the program, and a library that was loaded before. */
	CHECK_EQ(modules(), 2);
	CHECK_EQ(calls_of(plum_of(early)) > 0, 1);
	stop = 1;
	CHECK_EQ(pthread_join(other, NULL), 0);
	CHECK_EQ(calls_of(pear), 1);
	CHECK_EQ(calls_of(plum_of(early)), 1);

	/* The early library is unloaded and loaded again, and so is another library. */
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(dlclose(early), 0);
		CHECK_EQ(modules(), 1);
		later = dlopen(argv[4], RTLD_NOW);
		CHECK(later);
		CHECK_EQ(modules(), 2);
		CHECK_EQ(calls_of(plum_of(later)), 1);
		CHECK_EQ(calls_of(pear), 1);
		early = dlopen(argv[3], RTLD_NOW);
		CHECK(early);
		CHECK_EQ(modules(), 3);
		CHECK_EQ(calls_of(plum_of(early)), 1);
		CHECK_EQ(dlclose(later), 0);
		CHECK_EQ(modules(), 2);
	}
	puts("done");
	return 0;
}
#endif
