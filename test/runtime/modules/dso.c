/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions are armed in modules that are loaded and unloaded. */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
static volatile int state; /* volatile, or the compiler evaluates the constructor */
__attribute__((constructor)) OPAQUE void plum_start(void) { state = 40; }
OPAQUE int plum(int a) { return state + a; }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>

OPAQUE int pear(int a) { return a; }

static int calls, attached;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)targets;
	CHECK(module->path[0] == '/');
	attached += (int)nr;
	return 0;
}

/* The tracers that saw the last call, as one digit each. */
static long seen;

static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	seen = 10 * seen + (intptr_t)cell->data;
}

/* Modules that are loaded later have tracers in the same order as present modules. */
static void in_order(const char *path)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = note };
	const char *const syms[] = { "plum", "pear" };
	void *const cookies[] = { (void *)1, (void *)1 };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = syms,
						.cookies = cookies,
						.cnt = 2 };
	struct patchbay_ops *ops[2];
	void *library;

	for (intptr_t i = 0; i < 2; i++) {
		attr.data = (void *)(i + 2);
		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	CHECK_EQ(patchbay_arm(ops[1], "p*r", PATCHBAY_ARM_FUTURE), 1);
	CHECK_EQ(patchbay_arm_filter(ops[0], &filter, PATCHBAY_ARM_FUTURE), 1);
	CHECK_EQ(patchbay_arm(ops[0], "p*", PATCHBAY_ARM_FUTURE), 0);
	CHECK_EQ(patchbay_arm(ops[1], "pl*m", PATCHBAY_ARM_FUTURE), 0);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	seen = 0;
	pear(1);
	CHECK_EQ(seen, 31);
	seen = 0;
	((int (*)(int))dlsym(library, "plum"))(1);
	CHECK_EQ(seen, 13);
	CHECK_EQ(dlclose(library), 0);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

static int refuse(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	(void)targets;
	(void)nr;
	return -ENOSPC;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler,
					  .attach = attach };
	struct patchbay_ops *ops;

	CHECK(argc == 2);
	in_order(argv[1]);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "plum*", 0), -ENOENT);
	CHECK_EQ(patchbay_arm(ops, "plum*", PATCHBAY_ARM_FUTURE), 0);
	CHECK_EQ(patchbay_arm(ops, "pear", PATCHBAY_ARM_FUTURE), 1);
	for (int i = 1; i <= 3; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*plum)(int);

		CHECK(library);
		plum = (int (*)(int))dlsym(library, "plum");
		CHECK(plum);
		CHECK_EQ(calls, 1); /* called by the library's constructor */
		CHECK_EQ(plum(2), 42);
		CHECK_EQ(pear(2), 2);
		CHECK_EQ(calls, 3);
		CHECK_EQ(attached, 1 + 2 * i);
		CHECK_EQ(dlclose(library), 0); /* unloaded while armed */
		calls = 0;
	}
	CHECK_EQ(patchbay_disarm(ops, "plum*"), -ENOENT);
	CHECK(dlopen(argv[1], RTLD_NOW)); /* now no tracer is armed for future modules */
	CHECK_EQ(calls, 0);
	CHECK_EQ(patchbay_disarm(ops, "pear"), 1);

	attr.attach = refuse;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "*", 0), -ENOSPC);
	pear(1);
	CHECK_EQ(calls, 0);
	puts("done");
	return 0;
}
#endif
