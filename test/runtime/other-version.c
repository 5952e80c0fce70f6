/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules of the version of the ABI before this one, and of the next, beside one of
 * this: all go on as they would, the others are left alone, and everybody names them.
 */
// REQUIRES: host-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -shared -nostdlib %S/Inputs/version1.S -o %t/libold.so
// RUN: %clang -shared -nostdlib -DVERSION=3 %S/Inputs/version1.S -o %t/libnew.so
// RUN: %build %s -o %t/prog %link
// RUN: %t/prog %t/libold.so %t/libnew.so | FileCheck %s
// CHECK: {{^}}done{{$}}
/* In a process, */
// RUN: %python %S/Inputs/while-running.py %t/prog %t/libold.so %t/libnew.so wait -- %patchbay list -F pear -p PID > %t/list 2>&1
// RUN: FileCheck %s --check-prefix=LIST --input-file=%t/list
// LIST: {{^}}patchbay: warning: {{.*}}/libold.so: compiled for patchbay ABI version 1, the libpatchbay in process {{[0-9]+}} is of version 2 and leaves its functions alone{{$}}
// LIST-NEXT: {{^}}patchbay: warning: {{.*}}/libnew.so: compiled for patchbay ABI version 3, the libpatchbay in process {{[0-9]+}} is of version 2 and leaves its functions alone{{$}}
// LIST: disarmed pear
/* while one is recorded and afterwards, */
// RUN: %patchbay record -o %t/data -F pear -- %t/prog %t/libold.so %t/libnew.so
// RUN: not %patchbay report -i %t/data > %t/report 2>&1
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t/report
// REPORT-DAG: some functions were not traced: a library that was loaded was compiled for another version of Patchbay's ABI: 'patchbay verify LIBRARY' says which is{{$}}
// REPORT-DAG: {{^ *1 .*}}pear
/* and of the files. */
// RUN: not %patchbay verify %t/libold.so 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not %patchbay list %t/libold.so 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: {{^}}patchbay: error: {{.*}}/libold.so: compiled for patchbay ABI version 1, this patchbay reads version 2{{$}}
// RUN: not %patchbay verify %t/libnew.so 2>&1 | FileCheck %s --check-prefix=NEXT
// NEXT: {{^}}patchbay: error: {{.*}}/libnew.so: compiled for patchbay ABI version 3, this patchbay reads version 2{{$}}
/* Nor are they linked with others. */
// RUN: %clang -c %S/Inputs/version1.S -o %t/old.o
// RUN: %build -c %s -o %t/prog.o
// RUN: not %ld.lld -shared %t/prog.o %t/old.o -o %t/both.so 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error: {{.*}}old.o: Patchbay ABI version 1 is incompatible with version 2 of {{.*}}prog.o; compile both with the same pass plugin
/* Where another linker does it, what cannot be traced is counted. */
// RUN: %build -DOLD %s %S/Inputs/version1.S -o %t/mixed %link
// RUN: %t/mixed | FileCheck %s
#include "Inputs/check.h"

#include <patchbay/inspect.h>
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

OPAQUE int pear(int a) { return a; }

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
	/* The site's immediate leads nowhere: it is put right before it is armed. */
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
	if (!getenv("PATCHBAY")) /* they stay in the recording */
		for (int i = 0; i < 2; i++)
			CHECK_EQ(dlclose(library[i]), 0);
	puts("done");
	return 0;
#endif
}
