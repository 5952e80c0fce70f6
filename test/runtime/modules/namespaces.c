/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries in a separate namespace (dlmopen(3)) have their own copy of libpatchbay.so.
 * That copy handles only these libraries, and is unloaded with them.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so -Wl,--no-as-needed %link
// RUN: %build -fno-sanitize=kcfi %s -o %t %link
// RUN: timeout -s KILL 600 %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plum(int a) { return a + 1; }
#else

#include <patchbay/inspect.h>

#include <dlfcn.h>

static int modules(__typeof__(patchbay_get_stats) *get_stats)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(get_stats(&stats), 0);
	return (int)stats.modules;
}

int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	for (int i = 0; i < 3; i++) {
		void *library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
		int (*plum)(int);

		CHECK(library != NULL);
		plum = (int (*)(int))dlsym(library, "plum");
		CHECK_EQ(plum(1), 2);
		CHECK_EQ(modules(patchbay_get_stats), 1);
		CHECK_EQ(modules((__typeof__(patchbay_get_stats) *)dlsym(
				 library, "patchbay_get_stats")),
			 1);
		CHECK_EQ(dlclose(library), 0);
	}
	puts("done");
	return 0;
}
#endif
