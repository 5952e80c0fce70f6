/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * While a program with one thread is recorded, no other thread calls the program's
 * allocator, which is not thread-safe. The only exception is the loader, while it loads
 * the runtime.
 */
// RUN: llvm-nm -D --undefined-only --just-symbol-name %patchbay_lib/libpatchbay.so %patchbay_lib/libpatchbay-trace.so %patchbay_lib/libpatchbay-live.so %patchbay_lib/libpatchbay-link.so | FileCheck %s --check-prefix=IMPORTS
// IMPORTS-NOT: {{^(malloc|calloc|realloc|free|aligned_alloc|strdup|qsort|fopen|fdopen|opendir|getline)@}}
// IMPORTS: {{^}}memcpy@
// IMPORTS-NOT: {{^(malloc|calloc|realloc|free|aligned_alloc|strdup|qsort|fopen|fdopen|opendir|getline)@}}

// RUN: rm -rf %t && mkdir %t
// RUN: %build -g -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build -g -rdynamic %s -o %t/prog
// RUN: cd %t && ./prog %patchbay ./plugin.so -t function_profile 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so -t function_profile --histogram 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so -t function_duration 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so -t function_graph -F 'w*' 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so -t function --args 'work(a,retval)' 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so --max-overhead 1%% 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so --max-rate 10 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so --rotate-size 1M --keep 2 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so --why 1us 2>&1 | FileCheck %s
// RUN: cd %t && ./prog %patchbay ./plugin.so --live 2>&1 | FileCheck %s
// CHECK: {{^}}recordings: 3, calls of other threads: 0 of {{[1-9][0-9]+}}{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin(int a) { return a + 1; }
#else

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

enum { HEAP = 512 << 20, RECORDINGS = 3 };

static _Alignas(16) char heap[HEAP];
static size_t used;
static long total, wrong;

/*
 * Counts calls of Patchbay's libraries (@caller) from other threads than the main
 * thread. Calls of the loader do not count.
 */
NOT_TRACED static void look(void *caller)
{
	Dl_info info;

	total++;
	if (gettid() != getpid() && dladdr(caller, &info) &&
	    strstr(info.dli_fname, "libpatchbay"))
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

/* Never reuses a block. Atomic, so that concurrent calls are safe. */
NOT_TRACED void *malloc(size_t size)
{
	size_t *at;

	look(__builtin_return_address(0));
	size = (size + 31) & ~(size_t)15;
	at = (size_t *)(heap + __atomic_fetch_add(&used, size, __ATOMIC_RELAXED));
	if ((char *)at + size > heap + HEAP)
		abort();
	at[1] = size - 16;
	return at + 2;
}

NOT_TRACED void *calloc(size_t nr, size_t size)
{
	return malloc(nr * size);
}

NOT_TRACED void *realloc(void *old, size_t size)
{
	void *new = malloc(size);
	size_t kept = old ? ((size_t *)old)[-1] : 0;

	return old ? memcpy(new, old, kept < size ? kept : size) : new;
}

NOT_TRACED void free(void *block)
{
	(void)block;
	look(__builtin_return_address(0));
}

OPAQUE int work(int a)
{
	return a + 1;
}

int main(int argc, char **argv)
{
	char pid[16], out[16], *command[32] = { argv[1], "record", "-p", pid, "-o", out };
	int nr = 6, recordings = 0, status;

	snprintf(pid, sizeof(pid), "%d", getpid());
	for (int i = 3; i < argc; i++)
		command[nr++] = argv[i];
	command[nr++] = "--";
	command[nr++] = "sleep";
	command[nr++] = "0.3";
	for (int i = 0; i < RECORDINGS; i++) {
		pid_t child;

		snprintf(out, sizeof(out), "data-%d-%d", (int)getpid(), i);
		child = fork();
		if (!child) {
			execv(command[0], command);
			_exit(127);
		}
		while (!waitpid(child, &status, WNOHANG)) {
			void *library = dlopen(argv[2], RTLD_NOW);
			int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");

			for (int j = 0; j < 1000; j++)
				work(plugin(j));
			dlclose(library);
			/*
			 * Spend time outside of the loader: -p cannot borrow a thread
			 * inside the loader.
			 */
			usleep(1000);
		}
		recordings += !status;
	}
	printf("recordings: %d, calls of other threads: %ld of %ld\n", recordings, wrong, total);
	return 0;
}
#endif
