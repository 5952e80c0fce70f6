/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The C library derives its caller's module from the return address, so tracers must
 * not change the return address's module. Cases: a library whose functions tail-call
 * dlsym(RTLD_NEXT), dlopen() of a library that only the caller's RUNPATH finds, and a
 * function that reads its return address.
 */
// RUN: rm -rf %t && mkdir %t %t/plugins
// RUN: %plain -DPLUGIN -shared -fPIC %s -o %t/plugins/plugin.so
// RUN: %build -fno-sanitize=kcfi -DLIBRARY -shared -fPIC %s -o %t/libask.so -Wl,-rpath,%t/plugins -Wl,--enable-new-dtags
// RUN: %build %s -o %t/prog -L %t -lask -Wl,-rpath,%t
// RUN: cd %t && ./prog | FileCheck %s
// RUN: %patchbay record -t function_profile -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_duration -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_graph -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_profile --histogram -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_duration --no-sleep-time -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_graph --depth 9 -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_graph --sample 1/1 -- ./prog 2>/dev/null | FileCheck %s
// RUN: %patchbay record -t function_duration --args '*' -- ./prog 2>/dev/null | FileCheck %s
// CHECK: next is the C library: 1
// CHECK: plugin is found: 1
// CHECK: called from the library: 1
/* The same test with a callee that the compiler does not know. */
// CHECK: next by a pointer: 1
// CHECK: plugin by a pointer: 1
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define OPAQUE __attribute__((noinline))

#ifdef PLUGIN
int plugin;
#elif defined(LIBRARY)
void *(*volatile find)(void *, const char *) = dlsym;
void *(*volatile load)(const char *, int) = dlopen;

static OPAQUE void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
static OPAQUE void *open_plugin(const char *name)
{
	return dlopen(name, RTLD_NOW);
}
static OPAQUE void *next_by_pointer(const char *name)
{
	return find(RTLD_NEXT, name);
}
static OPAQUE void *open_by_pointer(const char *name)
{
	return load(name, RTLD_NOW);
}
__attribute__((noinline, no_profile_instrument_function)) int is_from_library(void)
{
	Dl_info info;

	return dladdr(__builtin_extract_return_addr(__builtin_return_address(0)),
		      &info) &&
	       strstr(info.dli_fname, "libask.so");
}
int (*volatile from_library)(void) = is_from_library;
static OPAQUE int ask(void)
{
	return from_library();
}

/* Precedes the C library's puts(). */
int puts(const char *text)
{
	int (*real)(const char *) = (int (*)(const char *))next("puts");

	return real == puts ? 0 : real(text);
}
static int is_next(void *found)
{
	return found && found != (void *)puts;
}
void ask_all(void)
{
	printf("next is the C library: %d\n", is_next(next("puts")));
	printf("plugin is found: %d\n", !!open_plugin("plugin.so"));
	printf("called from the library: %d\n", ask());
	printf("next by a pointer: %d\n", is_next(next_by_pointer("puts")));
	printf("plugin by a pointer: %d\n", !!open_by_pointer("plugin.so"));
}
#else
void ask_all(void);
int main(void)
{
	ask_all();
	return 0;
}
#endif
