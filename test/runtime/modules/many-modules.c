/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread with a small stack can arm functions of very many modules: stack use does
 * not grow with the number of modules.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: rm -rf %t.dir && mkdir %t.dir && timeout -s KILL 600 %t %t.so %t.dir && rm -r %t.dir
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE void in_many(void) {}
#else
#include "../Inputs/count-calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum { MODULES = 400, STACK = 64 * 1024 };

static void (*functions[MODULES])(void);

static void *load_copy(const char *file, const char *folder, int nr)
{
	const int from = open(file, O_RDONLY | O_CLOEXEC);
	char path[PATH_MAX];
	struct stat stat;
	void *library;
	int to;

	CHECK((size_t)snprintf(path, sizeof(path), "%s/%d.so", folder, nr) < sizeof(path));
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	CHECK(from >= 0 && to >= 0);
	CHECK_EQ(fstat(from, &stat), 0);
	CHECK_EQ(sendfile(to, from, NULL, (size_t)stat.st_size), stat.st_size);
	close(from);
	close(to);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(library);
	return dlsym(library, "in_many");
}

static long calls_seen(void)
{
	calls = 0;
	for (int i = 0; i < MODULES; i++)
		functions[i]();
	return calls;
}

static void *arm_all(void *ops)
{
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(patchbay_arm(ops, "in_*", 0), MODULES);
		CHECK_EQ(calls_seen(), MODULES);
		CHECK_EQ(patchbay_disarm(ops, "in_*"), MODULES);
		CHECK_EQ(calls_seen(), 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	pthread_attr_t small;
	pthread_t thread;

	CHECK_EQ(argc, 3);
	for (int i = 0; i < MODULES; i++) {
		functions[i] = (void (*)(void))load_copy(argv[1], argv[2], i);
		CHECK(functions[i]);
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(pthread_attr_init(&small), 0);
	CHECK_EQ(pthread_attr_setstacksize(&small, STACK), 0);
	CHECK_EQ(pthread_create(&thread, &small, arm_all, ops), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
#endif
