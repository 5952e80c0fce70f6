/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The recorder reads modules' names in threads with small stacks that load instrumented
 * modules, even names that nest deeply.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DMODULE -shared -fPIC %s -o %t/module.so
// RUN: %build %s -o %t/prog -lpthread -ldl
// RUN: %t/prog %t/module.so | FileCheck %s
// RUN: %patchbay record --force -t count -F in_module -F deep -o %t/data -- %t/prog %t/module.so | FileCheck %s
// RUN: %patchbay report -i %t/data | FileCheck %s --check-prefix=REPORT
/* A module that was loaded by a relative path is recorded with its absolute path. */
// RUN: cd %t && %patchbay record --force -t count -F in_module -o relative -- ./prog ./module.so | FileCheck %s
// RUN: sh -c 'grep -q "%t/module.so" %t/relative/*.pbd'
// CHECK: {{^}}128 KB: 6{{$}}
// CHECK-NEXT: {{^}}least: 6{{$}}
// REPORT: {{^ +}}2 {{ *}}in_module 
// REPORT-NOT: deep

#ifdef MODULE

/* The mangled name of deep(int ***...), with 4,096 levels. */
#define P8 "PPPPPPPP"
#define P64 P8 P8 P8 P8 P8 P8 P8 P8
#define P512 P64 P64 P64 P64 P64 P64 P64 P64
#define DEEP "_Z4deep" P512 P512 P512 P512 P512 P512 P512 P512 "i"

int deep(int n) __asm__(DEEP);
int deep(int n) { return n + 1; }

int in_module(int n) { return deep(n) + 1; }

#else

#include "../Inputs/check.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *in_thread(void *path)
{
	void *module = dlopen(path, RTLD_NOW);
	int (*in_module)(int);

	CHECK(module);
	*(void **)&in_module = dlsym(module, "in_module");
	CHECK(in_module);
	return (void *)(intptr_t)in_module(4);
}

static void try(char *path, const char *what, size_t stack)
{
	pthread_t thread;
	pthread_attr_t attr;
	void *result;

	CHECK(!pthread_attr_init(&attr));
	CHECK(!pthread_attr_setstacksize(&attr, stack));
	CHECK(!pthread_create(&thread, &attr, in_thread, path));
	CHECK(!pthread_join(thread, &result));
	printf("%s: %d\n", what, (int)(intptr_t)result);
	CHECK(!pthread_attr_destroy(&attr));
}

int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	try(argv[1], "128 KB", 128 << 10);
	try(argv[1], "least", PTHREAD_STACK_MIN);
	return 0;
}

#endif
