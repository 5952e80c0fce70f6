/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Matching source names needs no more stack than the program itself, even if a thread
 * with a small stack loads a library with deeply nested names.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/late.so
// RUN: %build %s -o %t/prog -lpthread
// DEFINE: %{record} = rm -rf %t/data && mkdir %t/data && env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so
// RUN: %t/prog %t/late.so
// RUN: %{record} PATCHBAY='tracer=function_profile,filter=f(int\*),filter=g*,output=%t/data' %t/prog %t/late.so
// RUN: %patchbay report -s name -f calls,name %t/data | FileCheck %s --match-full-lines
//      CHECK: {{ *}}calls  function
// CHECK-NEXT: {{ *}}3  f(int*)

#define P10(s) s s s s s s s s s s
#define P100(s) P10(P10(s))

#ifdef LIBRARY

int with_pointer(int *a) __asm__("_Z1fPi");
int with_pointers(int a) __asm__("_Z1f" P100("PPPPPP") "i");
int with_more(int a) __asm__("_Z1f" P10(P100("PP")) "i");
int with_qualifiers(int a) __asm__("_Z1f" P100(P10("U1a") P10("U1a") P10("U1a") P10("U1a") P10("U1a")) "i");
int with_arguments(int a) __asm__("_Z1fI" P10(P100("1aI")) "i" P10(P100("E")) "Evv");

int with_pointer(int *a)
{
	return *a;
}

int with_pointers(int a)
{
	return a;
}

int with_more(int a)
{
	return a;
}

int with_qualifiers(int a)
{
	return a;
}

int with_arguments(int a)
{
	return a;
}

#else

#include "../Inputs/check.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

static void *load(void *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*traced)(int *), one = 1;

	if (!library)
		return "dlopen";
	traced = (int (*)(int *))dlsym(library, "_Z1fPi");
	if (!traced || traced(&one) != 1)
		return "dlsym";
	return dlclose(library) ? "dlclose" : NULL;
}

int main(int argc, char **argv)
{
	const size_t sizes[] = { (size_t)PTHREAD_STACK_MIN, 64 << 10, 256 << 10 };

	CHECK_EQ(argc, 2);
	for (int i = 0; i < 3; i++) {
		pthread_attr_t attr;
		pthread_t thread;
		void *failed;

		CHECK_EQ(pthread_attr_init(&attr), 0);
		CHECK_EQ(pthread_attr_setstacksize(&attr, sizes[i]), 0);
		CHECK_EQ(pthread_create(&thread, &attr, load, argv[1]), 0);
		CHECK_EQ(pthread_join(thread, &failed), 0);
		if (failed)
			return puts(failed), 1;
	}
	return 0;
}

#endif
