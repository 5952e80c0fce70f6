/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several copies of the runtime work in one process. Hidden copies in shared objects
 * (libpatchbay.a) each trace the functions of their object and do not interfere. A copy
 * whose symbols are visible to all modules serves all of them.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DPLUGIN -shared -fPIC %s -o %t/one.so %patchbay_lib/libpatchbay.a -Wl,--exclude-libs,ALL -lpthread
// RUN: %build -DPLUGIN -shared -fPIC %s -o %t/two.so %patchbay_lib/libpatchbay.a -Wl,--exclude-libs,ALL -lpthread
// RUN: %build %s -o %t/exe %link
// RUN: timeout -s KILL 600 %t/exe separate %t/one.so %t/two.so | FileCheck %s
// RUN: timeout -s KILL 600 %t/exe unload %t/one.so | FileCheck %s
/* The executable has one copy. A plugin's libpatchbay.so is the second copy. */
// RUN: %build -DPLUGIN -shared -fPIC %s -o %t/shared.so %link
// RUN: %build -rdynamic %s -o %t/merged %patchbay_lib/libpatchbay.a -lpthread
// RUN: timeout -s KILL 600 %t/merged merged %t/shared.so | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <stdatomic.h>
#include <string.h>

OPAQUE static int own(int a) { return a + 1; }

static struct patchbay_ops *create(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static int add(const struct patchbay_site_info *site, void *modules)
{
	*(int *)modules += site->entry == (uintptr_t)own;
	return 0;
}

/*
 * Tests this copy alone. Arms the functions named own(), one per module, calls this
 * module's function @nr times, and counts the calls.
 */
static void trace(int modules, int nr)
{
	struct patchbay_ops *ops = create();
	int sites = 0;

	CHECK_EQ(patchbay_for_each_site(add, &sites), 0);
	CHECK_EQ(sites, 1);
	CHECK_EQ(patchbay_arm(ops, "own", 0), modules);
	calls = 0;
	for (int i = 0; i < nr; i++)
		CHECK_EQ(own(i), i + 1);
	CHECK_EQ(calls, nr);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	own(1);
	CHECK_EQ(calls, nr);
}

#ifdef PLUGIN
static struct patchbay_ops *all;

void plugin_trace(int modules, int nr) { trace(modules, nr); }
void plugin_arm_all(void)
{
	all = create();
	CHECK(patchbay_arm(all, "*", 0) > 0);
}
void plugin_disarm_all(void) { CHECK_EQ(patchbay_ops_destroy(all), 0); }
#else

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	CHECK(library);
	return library;
}

static void act(void *library, const char *name)
{
	((void (*)(void))dlsym(library, name))();
}

static void trace_in(void *library, int modules, int nr)
{
	((void (*)(int, int))dlsym(library, "plugin_trace"))(modules, nr);
}

static void separate(char **paths)
{
	void *one = load(paths[0]), *two = load(paths[1]);

	act(one, "plugin_arm_all");
	trace_in(two, 1, 5);
	trace(1, 7);
	act(two, "plugin_arm_all");
	trace(1, 3);
	act(one, "plugin_disarm_all");
	trace_in(one, 1, 2);
	act(two, "plugin_disarm_all");
	trace_in(two, 1, 5);
}

/* A thread that was in a handler of a copy ends after its module was closed. */
static sem_t traced, closed;

static void *user(void *library)
{
	trace_in(library, 1, 3);
	sem_post(&traced);
	sem_wait(&closed);
	return NULL;
}

static void unload(const char *path)
{
	sem_init(&traced, 0, 0);
	sem_init(&closed, 0, 0);
	for (int i = 0; i < 3; i++) {
		void *library = load(path);
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, NULL, user, library), 0);
		sem_wait(&traced);
		act(library, "plugin_arm_all");
		act(library, "plugin_disarm_all");
		CHECK_EQ(dlclose(library), 0);
		sem_post(&closed);
		pthread_join(thread, NULL);
		trace(1, 4);
	}
}

static void merged(const char *path)
{
	void *library = load(path);

	trace(2, 3);
	trace_in(library, 2, 4);
	act(library, "plugin_arm_all");
	trace(2, 3);
	act(library, "plugin_disarm_all");
	CHECK_EQ(dlclose(library), 0);
	trace(1, 3);
}

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	if (!strcmp(argv[1], "separate"))
		separate(argv + 2);
	else if (!strcmp(argv[1], "unload"))
		unload(argv[2]);
	else
		merged(argv[2]);
	puts("done");
	return 0;
}
#endif
