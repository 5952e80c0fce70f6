/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of a module share their cells with every tracer of `patchbay record`.
 * Arming them needs little memory and one step, even if a second wildcard selects more
 * functions of the module. Each call is counted for its own function. Functions of a
 * module that is loaded repeatedly keep their numbers.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so -Wl,--build-id
// RUN: %build %s -o %t/prog %link -ldl
// DEFINE: %{record} = cd %t && %patchbay record --force -F 'f_0*' -F 'f_1*' -F 'f_2*' -F 'f_3*' -F 'plugged*' -F 'main'
// DEFINE: %{run} = -- ./prog ./plugin.so | FileCheck %s
// DEFINE: %{count} = %patchbay report --json %t/patchbay.data | %python %S/../Inputs/shared-calls.py
// CHECK: {{^}}bytes for each function: {{([0-9]|[123][0-9])$}}
// CHECK-NEXT: {{^}}writes: {{([0-9]|[12][0-9])$}}
// RUN: %{record} -t function_profile %{run} && %{count}
// RUN: %{record} -t function_profile --histogram %{run} && %{count}
// RUN: %{record} -t function_profile --histogram --no-sleep-time %{run} && %{count}
// RUN: %{record} -t function %{run} && %{count}
// RUN: %{record} -t function_duration %{run} && %{count}
// RUN: %{record} -t function_duration --depth 9 %{run} && %{count}
// RUN: %{record} -t function_duration --no-sleep-time %{run} && %{count}
// RUN: %{record} -t function_graph %{run} && %{count}
// RUN: %{record} -t function_graph --depth 9 %{run} && %{count}
// RUN: %{record} -t function_graph --no-sleep-time %{run} && %{count}
// RUN: %{record} -t function --args 'f_*' %{run} && %{count}
// RUN: %{record} -t function_duration --args 'f_*' %{run} && %{count}
// RUN: %{record} -t function_graph --args 'f_*' %{run} && %{count}
#include "../Inputs/check.h"
#include "../Inputs/repeat.h"

#ifdef LIBRARY
OPAQUE int plugged(int a) { return a + 1; }
int plugin(int a)
{
	return plugged(a);
}
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>

#define FUNCTION(n) OPAQUE static int f##n(int a) { return a + 1; }
X256(FUNCTION, _)

#define ADDRESS(n) f##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

int main(int argc, char **argv)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	(void)argc;
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK(stats.armed >= NR);
	printf("bytes for each function: %ld\n",
	       (long)(stats.memory / stats.armed));
	printf("writes: %ld\n", (long)stats.text_writes);
	for (int i = 0; i < NR; i++)
		for (int j = 0; j <= i % 5; j++)
			CHECK_EQ(functions[i](j), j + 1);
	for (int i = 0; i < 9; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*plugin)(int) = dlsym(library, "plugin");

		CHECK_EQ(plugin(i), i + 1);
		CHECK_EQ(dlclose(library), 0);
	}
	return 0;
}
#endif
