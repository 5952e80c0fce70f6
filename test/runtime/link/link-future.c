/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program's requirements on functions also apply to future modules. */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <dlfcn.h>
#include <errno.h>

#ifdef LIBRARY
OPAQUE int later_one(int a) { return a; }
OPAQUE int later_two(int a, int b) { return a + b; }
#else

static int calls;

PROGRAM(count)
{
	UNUSED_CONTEXT;
	calls++;
}

static struct patchbay_link *attach(unsigned int flags)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .flags = PATCHBAY_OPS_FAST,
						  .entry = count,
						  .nr_args = 2 };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "later_*" };
	const struct patchbay_link_opts opts = {
		.size = sizeof(opts),
		.filter = &filter,
		.flags = flags | PATCHBAY_LINK_FUTURE
	};
	struct patchbay_link *link;

	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link),
		 0);
	return link;
}

static int call(void *module)
{
	int (*one)(int) = (int (*)(int))dlsym(module, "later_one");
	int (*two)(int, int) = (int (*)(int, int))dlsym(module, "later_two");

	calls = 0;
	CHECK_EQ(one(1) + two(1, 1), 3);
	return calls;
}

static void check_link(struct patchbay_link *link, size_t attached, int error)
{
	struct patchbay_link_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_link_get_info(link, &info), 0);
	CHECK_EQ(info.attached, attached);
	CHECK_EQ(info.future_error, error);
}

int main(int argc, char **argv)
{
	struct patchbay_link *link = attach(PATCHBAY_LINK_SKIP_INVALID);
	void *module = dlopen(argv[argc - 1], RTLD_NOW);

	CHECK(module);
	CHECK_EQ(call(module), 1);
	check_link(link, 1, 0);
	CHECK_EQ(dlclose(module), 0);
	check_link(link, 0, 0);
	CHECK_EQ(patchbay_link_destroy(link), 0);

	/* In each new module, the link is attached to all functions or to none. */
	link = attach(0);
	module = dlopen(argv[argc - 1], RTLD_NOW);
	CHECK(module);
	CHECK_EQ(call(module), 0);
	check_link(link, 0, -EDOM);
	CHECK_EQ(patchbay_link_destroy(link), 0);
	puts("done");
	return 0;
}
#endif
