/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming in a constructor cannot deadlock. The constructor's thread holds the loader's
 * lock, for which a callback in another thread waits. Arming returns -EBUSY, and no
 * thread hangs.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build -rdynamic %s -o %t %link -lpthread
// RUN: timeout -s KILL 600 %t %t.so | FileCheck %s
// CHECK: {{^}}busy in the constructor, armed around it, and again{{$}}
#include "../Inputs/check.h"

void arm_in_constructor(void);

#ifdef LIBRARY
__attribute__((constructor)) static void construct(void)
{
	arm_in_constructor();
}
#else
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

OPAQUE int work(int a) { return a * 3; }

static struct patchbay_ops *first, *second;
static const struct patchbay_filter filter = { .size = sizeof(filter), .glob = "work" };
static int is_in_constructor, result = 1;
static const char *path;

UNTRACED static void handler(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

UNTRACED void arm_in_constructor(void)
{
	__atomic_store_n(&is_in_constructor, 1, __ATOMIC_RELEASE);
	result = patchbay_arm_filter(second, &filter, 0);
}

UNTRACED static void *load(void *arg)
{
	void *library = dlopen(path, RTLD_NOW);

	CHECK(library);
	return arg;
}

/* dladdr() waits until the constructor has returned. */
static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	pthread_t thread;
	Dl_info info;

	(void)data, (void)module, (void)targets, (void)nr;
	CHECK_EQ(pthread_create(&thread, NULL, load, NULL), 0);
	while (!__atomic_load_n(&is_in_constructor, __ATOMIC_ACQUIRE))
		sched_yield();
	CHECK(dladdr((void *)work, &info));
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return 0;
}

UNTRACED static struct patchbay_ops *make(int has_attach)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.handler = handler,
		.attach = has_attach ? attach : NULL,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

UNTRACED int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	path = argv[1];
	first = make(1);
	second = make(0);
	/* One second is the smallest valid time limit. */
	patchbay_set_wait_limit(1);
	CHECK_EQ(patchbay_arm_filter(first, &filter, 0), 1);
	CHECK_EQ(result, -EBUSY);
	CHECK_EQ(patchbay_arm_filter(second, &filter, 0), 1);
	CHECK_EQ(work(2), 6);
	puts("busy in the constructor, armed around it, and again");
	return 0;
}
#endif
