/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that continually loads and unloads a module can be recorded for any length
 * of time. The description of a module uses no mapping of its own: a process can have
 * only some 65,000 mappings.
 */
// RUN: rm -rf %t && mkdir -p %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/module.so
// RUN: %build %s -o %t/prog -ldl
// RUN: %patchbay record -t count -F '*' -o %t/counts -- %t/prog %t/module.so | FileCheck %s
// RUN: %patchbay report %t/counts | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -t function_duration -F '*' -o %t/times -- %t/prog %t/module.so | FileCheck %s
// RUN: %patchbay report -f calls,name %t/times | FileCheck %s --check-prefix=CALLS
// CHECK: mappings: as before
// CALLS: 2000 {{ *}}module_call

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int module_call(int a) { return a + 1; }
#else

#include <dlfcn.h>

enum { LOADS = 2000, SOME = 200 };

static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int nr = 0, c;

	CHECK(maps);
	while ((c = getc(maps)) != EOF)
		nr += c == '\n';
	fclose(maps);
	return nr;
}

static void load_and_call(const char *path)
{
	void *module = dlopen(path, RTLD_NOW);

	CHECK(module);
	CHECK_EQ(((int (*)(int))dlsym(module, "module_call"))(1), 2);
	CHECK_EQ(dlclose(module), 0);
}

int main(int argc, char **argv)
{
	int before = 0, after;

	CHECK(argc == 2);
	for (int i = 0; i < LOADS; i++) {
		if (i == SOME)
			before = count_mappings();
		load_and_call(argv[1]);
	}
	after = count_mappings();
	printf("mappings: %s: %d, then %d\n",
	       after < before + 50 ? "as before" : "more", before, after);
	return 0;
}
#endif
