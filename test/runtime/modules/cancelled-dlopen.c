/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registering a module is not a cancellation point, because the thread holds the
 * loader's lock. The test loads a module, by a relative path, in a thread with a
 * pending cancellation.
 */
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %build %t/main.c -o %t/prog %link -ldl
// RUN: %build -shared -fPIC %t/plugin.c -o %t/one.so
// RUN: %build -shared -fPIC %t/plugin.c -o %t/two.so
// RUN: cd %t && timeout 600 ./prog | FileCheck %s
// CHECK: {{^}}one.so was loaded, then the thread was cancelled{{$}}
// CHECK-NEXT: {{^}}two.so was loaded{{$}}

//--- main.c
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *loaded;

static void *load(void *arg)
{
	(void)arg;
	pthread_cancel(pthread_self());
	loaded = dlopen("./one.so", RTLD_NOW);
	pthread_testcancel();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;

	/* A deadlock ends the test by SIGALRM. */
	alarm(600);
	if (!patchbay_abi_version() || pthread_create(&thread, NULL, load, NULL))
		return 1;
	pthread_join(thread, &result);
	printf("one.so was %sloaded, then the thread was %scancelled\n",
	       loaded ? "" : "not ", result == PTHREAD_CANCELED ? "" : "not ");
	fflush(stdout);
	printf("two.so was %sloaded\n", dlopen("./two.so", RTLD_NOW) ? "" : "not ");
	return 0;
}

//--- plugin.c
int step(int a) { return a + 1; }
