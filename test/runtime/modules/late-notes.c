/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library that is loaded late finds modules by their notes. If a damaged note points
 * out of its module or into a hole, the library reads no memory there. A module of
 * another version is reported as long as it is loaded.
 */
// REQUIRES: host-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/good.so
// RUN: %python %S/../Inputs/damage-note.py %t/good.so %t/out.so 0x40000000
// RUN: %python %S/../Inputs/damage-note.py %t/good.so %t/before.so -0x10000000
// RUN: %python %S/../Inputs/damage-note.py %t/good.so %t/crooked.so 2
// RUN: %python %S/../Inputs/damage-note.py %t/good.so %t/fields.so -0x38
// RUN: %clang -shared -nostdlib -DVERSION=3 -DNOTE %S/../Inputs/version1.S -o %t/next.so
// RUN: %build -fno-sanitize=kcfi %s -o %t/prog
// RUN: %t/prog %patchbay_lib/libpatchbay.so %t/next.so %t/good.so %t/out.so %t/before.so %t/crooked.so %t/fields.so | FileCheck %s
// CHECK: {{^}}done{{$}}
// RUN: %python %S/../Inputs/while-running.py %t/prog %patchbay_lib/libpatchbay.so %t/next.so wait -- %patchbay list -F main -p PID > %t/list 2>&1
// RUN: FileCheck %s --check-prefix=LIST --input-file=%t/list
// LIST-NOT: next.so
// LIST: disarmed main
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plum(int a) { return a + 1; }
#else

#include <patchbay/inspect.h>

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };
	__typeof__(patchbay_get_stats) *get_stats;
	const int wait = !strcmp(argv[argc - 1], "wait");
	void *next = NULL, *runtime;

	argc -= wait;
	for (int i = argc - 1; i > 1; i--) {
		next = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		CHECK(next);
	}
	runtime = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	CHECK(runtime);
	get_stats = (__typeof__(get_stats))dlsym(runtime, "patchbay_get_stats");

	/* The modules are the program and the undamaged library. */
	CHECK_EQ(get_stats(&stats), 0);
	CHECK_EQ(stats.modules, argc > 3 ? 2 : 1);
	CHECK_EQ(stats.others, 1);

	/* The unloaded module is not counted, although no constructor registered it. */
	CHECK_EQ(dlclose(next), 0);
	CHECK_EQ(get_stats(&stats), 0);
	CHECK_EQ(stats.others, 0);
	if (wait) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	puts("done");
	return 0;
}
#endif
