/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules of the previous and of the next ABI version run normally next to a module of
 * this version. Every command reports that they are not traced.
 */
// REQUIRES: host-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -shared -nostdlib %S/../Inputs/version1.S -o %t/libold.so
// RUN: %clang -shared -nostdlib -DVERSION=3 %S/../Inputs/version1.S -o %t/libnew.so
// RUN: %build %s -o %t/prog %link
// RUN: %t/prog %t/libold.so %t/libnew.so | FileCheck %s
// CHECK: {{^}}done{{$}}
/* `list` reports both modules of a process. */
// RUN: %python %S/../Inputs/while-running.py %t/prog %t/libold.so %t/libnew.so wait -- %patchbay list -F pear -p PID > %t/list 2>&1
// RUN: FileCheck %s --check-prefix=LIST --input-file=%t/list
// LIST: {{^}}patchbay: warning: {{.*}}/libold.so: compiled for patchbay ABI version 1, the libpatchbay in process {{[0-9]+}} is of version 2 and ignores its functions{{$}}
// LIST-NEXT: {{^}}patchbay: warning: {{.*}}/libnew.so: compiled for patchbay ABI version 3, the libpatchbay in process {{[0-9]+}} is of version 2 and ignores its functions{{$}}
// LIST: disarmed pear
/* `report` reports both modules after a recording. */
// RUN: %patchbay record -t count -o %t/data -F pear -- %t/prog %t/libold.so %t/libnew.so
// RUN: not %patchbay report -i %t/data > %t/report 2>&1
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t/report
// REPORT-DAG: {{.*}}/libold.so: none of its functions was traced: it was compiled for version 1 of Patchbay's ABI, not for version 2{{$}}
// REPORT-DAG: {{.*}}/libnew.so: none of its functions was traced: it was compiled for version 3 of Patchbay's ABI, not for version 2{{$}}
// REPORT-DAG: {{^ *1 .*}}pear
/*
 * A program that needs such a library is traced except for the library, from its start
 * or by -p. For a running process and for `list`, the library's file tells the version.
 */
// RUN: %build -DNEEDS %s -o %t/needs -Wl,--no-as-needed %t/libold.so
// RUN: %patchbay record -t count -o %t/needs.data -F pear -- %t/needs 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: patchbay: warning: {{.*}}/needs and the libraries it needs: {{.*}}/libold.so: compiled for patchbay ABI version 1, this patchbay reads version 2: none of its functions is traced{{$}}
// NEEDS: patchbay: warning: {{.*}}/libold.so: none of its functions was traced: it was compiled for version 1 of Patchbay's ABI, not for version 2{{$}}
// RUN: %python %S/../Inputs/while-running.py %t/needs wait -- sh -c '%patchbay record -t count -o %t/late.data -F pear -p PID -- sleep 0.3' 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: patchbay: warning: process {{[0-9]+}}: {{.*}}/libold.so: compiled for patchbay ABI version 1, this patchbay reads version 2: none of its functions is traced{{$}}
// RUN: %patchbay report -i %t/late.data | FileCheck %s --check-prefix=LATE-REPORT
// LATE-REPORT: {{^ *[1-9][0-9]* .*}}pear
// RUN: %python %S/../Inputs/while-running.py %t/needs wait -- %patchbay list -p PID 2>&1 | FileCheck %s --check-prefix=LATE-LIST
// LATE-LIST: patchbay: warning: {{.*}}/libold.so: compiled for patchbay ABI version 1, this patchbay is of version 2 and ignores its functions{{$}}
// LATE-LIST: disarmed pear
/* Each file of a rotated recording can be read alone, and reports the library. */
// RUN: %build %S/../Inputs/rotated.c -o %t/rotated -Wl,--no-as-needed %t/libold.so %link
// RUN: cd %t && %patchbay record -o parts -t function -F often --rotate-every 20ms -- ./rotated until 4 parts
// RUN: cd %t && sh -c 'for part in parts/*Z.pbd; do rm -rf part; mkdir part; cp $part part; %patchbay report part 2>&1 | grep -c "libold.so: none of its functions was traced"; done' | sort | uniq -c > parts.txt
// RUN: FileCheck %s --check-prefix=PARTS --implicit-check-not={{.}} --input-file=%t/parts.txt
// PARTS: {{^ *([4-9]|[0-9][0-9]+) 1$}}
/* If the program has no other module, the missing data is explained by the version. */
// RUN: %plain -DNEEDS %s -o %t/alone -Wl,--no-as-needed %t/libold.so
// RUN: %python %S/../Inputs/while-running.py %t/alone wait -- %python %S/../Inputs/expect-status.py 3 %patchbay list -p PID 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: libold.so: compiled for patchbay ABI version 1
// ALONE: process {{[0-9]+}}: no patchbay records
/* `verify` and `list` report the version of a file. */
// RUN: not %patchbay verify %t/libold.so 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not %patchbay list %t/libold.so 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: {{^}}patchbay: error: {{.*}}/libold.so: compiled for patchbay ABI version 1, this patchbay reads version 2{{$}}
// RUN: not %patchbay verify %t/libnew.so 2>&1 | FileCheck %s --check-prefix=NEXT
// NEXT: {{^}}patchbay: error: {{.*}}/libnew.so: compiled for patchbay ABI version 3, this patchbay reads version 2{{$}}
/* Our linker refuses to combine objects of both versions. */
// RUN: %clang -c %S/../Inputs/version1.S -o %t/old.o
// RUN: %build -c %s -o %t/prog.o
// RUN: not %ld.lld -shared %t/prog.o %t/old.o -o %t/both.so 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error: {{.*}}old.o: Patchbay ABI version 1 is incompatible with version 2 of {{.*}}prog.o; compile both with the same pass plugin
/* If another linker combines both versions, the untraceable functions are counted. */
// RUN: %build -DOLD %s %S/../Inputs/version1.S -o %t/mixed %link
// RUN: %t/mixed | FileCheck %s
#include "../Inputs/check.h"

#include <patchbay/inspect.h>
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

OPAQUE int pear(int a) { return a; }

#ifdef NEEDS
int main(int argc, char **argv)
{
	(void)argv;
	puts("ready");
	fflush(stdout);
	do {
		usleep(1000);
		pear(argc);
	} while (argc > 1);
	return 0;
}
#else

static int calls;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

static struct patchbay_stats now(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats;
}

#ifdef OLD
int old(int a);
#endif

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;
	void *library[2];

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
#ifdef OLD
	/* Arming corrects this site's invalid immediate. */
	CHECK_EQ(now().others, 1);
	CHECK_EQ(patchbay_arm(ops, "old", 0), 1);
	CHECK_EQ(old(1), 2);
	CHECK_EQ(calls, 1);
	(void)argc;
	(void)argv;
	(void)library;
	puts("done");
	return 0;
#else
	CHECK(argc >= 3);
	for (int i = 0; i < 2; i++) {
		int (*old)(int);

		library[i] = dlopen(argv[i + 1], RTLD_NOW);
		CHECK(library[i]);
		old = (int (*)(int))dlsym(library[i], "old");
		CHECK(old);
		CHECK_EQ(now().others, i + 1);
		CHECK_EQ(patchbay_arm(ops, "old", 0), -ENOENT);
	}
	CHECK_EQ(now().modules, 1);
	if (argc > 3) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	CHECK_EQ(patchbay_arm(ops, "pear", 0), 1);
	pear(1);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_disarm(ops, "pear"), 1);
	if (!getenv("PATCHBAY")) /* in a recording, keep the libraries loaded */
		for (int i = 0; i < 2; i++)
			CHECK_EQ(dlclose(library[i]), 0);
	puts("done");
	return 0;
#endif
}
#endif
