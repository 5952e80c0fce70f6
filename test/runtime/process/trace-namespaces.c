/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries in separate namespaces (dlmopen(3)) are not traced. A message states their
 * number of functions and their paths, once each, however often they are loaded. The
 * message is also printed if the program's own functions are recorded, by `record` or
 * `record -p`.
 */
// REQUIRES: glibc-namespaces
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/libplum.so
// RUN: %build -fno-sanitize=kcfi %s -o %t/prog
// RUN: %patchbay record -t count -o %t/data -F 'p*' -- %t/prog %t/libplum.so 2>&1 | FileCheck %s
// CHECK: patchbay: warning: {{.*}}: {{.*}}/libplum.so: 2 functions were not traced: they are in a namespace of the loader (dlmopen(3)) that the tracer is not in{{$}}
// CHECK-NOT: libplum.so
// RUN: %patchbay report -i %t/data > %t/report 2>&1
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t/report
// REPORT: {{.*}}/libplum.so: 2 functions were not traced
// REPORT: {{^ *2 .*}}pear
// REPORT-NOT: plum
// RUN: %patchbay report --json -i %t/data 2>%t/ignored | FileCheck %s --check-prefix=JSON
// JSON: "untraced_modules": [
// JSON-NEXT: {
// JSON-NEXT: "path": "{{.*}}/libplum.so",
// JSON-NEXT: "functions_in_namespace": 2
/* The message includes libraries that are closed before the end. */
// RUN: %patchbay record -t count -o %t/closed -F 'p*' -- %t/prog %t/libplum.so wait close 2>&1 | FileCheck %s
/* The filter matches no function of the program itself. */
// RUN: %patchbay record -t count --force -o %t/nothing -F 'plum' -- %t/prog %t/libplum.so 2>&1 | FileCheck %s
/* The libraries were loaded before the runtime. */
// RUN: %python %S/../Inputs/while-running.py %t/prog %t/libplum.so wait -- sh -c '%patchbay record -t count -o %t/late -F "p*" -p PID -- sleep 0.3' 2>&1 | FileCheck %s
// RUN: %patchbay report -i %t/late 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: {{.*}}/libplum.so: 2 functions were not traced
/*
 * The search for such libraries runs at the start and at the end of the recording, but
 * the file has the path only once. The second match is the command line.
 */
// RUN: grep -oa /libplum.so %t/late/*.pbd | count 2
/*
 * The libraries are loaded while a running process is recorded, and unloaded before the
 * end.
 */
// RUN: %python %S/../Inputs/while-running.py %t/prog %t/libplum.so for 3 seconds -- sh -c '%patchbay record -t count -o %t/between -F "p*" -p PID -- sleep 5' 2>&1 | FileCheck %s
/* Without such libraries there is no message. */
// RUN: %patchbay record -t count -o %t/none -F 'p*' -- %t/prog 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: warning
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plum(int a) { return a + 1; }
OPAQUE int quince(int a) { return a + 2; }
#else

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

OPAQUE int pear(int a) { return a; }

static void call_for_ever(void)
{
	for (;;) {
		usleep(1000);
		pear(1);
	}
}

/* Wait, because the recording must start first. */
static void load_later(const char *path)
{
	void *library;

	puts("ready");
	fflush(stdout);
	sleep(1);
	library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	CHECK(library);
	sleep(3);
	CHECK_EQ(dlclose(library), 0);
	call_for_ever();
}

int main(int argc, char **argv)
{
	if (argc > 4)
		load_later(argv[1]);
	for (int i = 0; i < 2; i++) {
		void *library = NULL;
		int (*plum)(int);

		CHECK_EQ(pear(i), i);
		if (argc < 2)
			continue;
		library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
		CHECK(library);
		plum = (int (*)(int))dlsym(library, "plum");
		CHECK_EQ(plum(1), 2);
		/* With at most three arguments, keep the second library loaded. */
		if (!i || argc > 3)
			CHECK_EQ(dlclose(library), 0);
	}
	if (argc == 3) {
		puts("ready");
		fflush(stdout);
		call_for_ever();
	}
	return 0;
}
#endif
