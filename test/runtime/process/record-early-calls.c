/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Until the program's own constructors have run, the runtime calls no C library
 * function that the program replaces. The test lists calls that came too early.
 */
// RUN: %build -fno-builtin %s -o %t -ldl
// RUN: %patchbay record -t count -o %t.data -- %t | FileCheck %s
// RUN: %patchbay record -t function_graph -o %t.data -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -t function_duration --threshold 1ns --args 'traced(x)' -o %t.data -- %t | FileCheck %s
// RUN: %patchbay record --histogram -F 'tra*' -N 'x*' -o %t.data -- %t | FileCheck %s
// CHECK: {{^}}called early:{{$}}
// CHECK-NEXT: {{^}}42{{$}}
// REPORT: {{^ *}}1 {{.*}}traced

#include "../Inputs/check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function, no_sanitize("kcfi")))

/* Volatile, or the compiler would evaluate the constructor itself. */
static volatile int is_ready;
static char early[4096];

UNTRACED static void add(char *to, const char *name)
{
	size_t at = 0;

	while (to[at])
		at++;
	to[at++] = ' ';
	while ((to[at] = *name++))
		at++;
}

#define CALLED(name)                                                           \
	do {                                                                   \
		if (!is_ready)                                                 \
			add(early, #name);                                     \
		if (!real_##name)                                              \
			real_##name = (__typeof__(real_##name))dlsym(          \
				RTLD_NEXT, #name);                             \
	} while (0)
#define REPLACE(type, name, params, args)                                      \
	static type(*real_##name) params;                                      \
	UNTRACED type name params                                              \
	{                                                                      \
		CALLED(name);                                                  \
		return real_##name args;                                       \
	}

REPLACE(void *, malloc, (size_t n), (n))
REPLACE(void *, calloc, (size_t n, size_t size), (n, size))
REPLACE(void *, realloc, (void *p, size_t n), (p, n))
REPLACE(void, free, (void *p), (p))
REPLACE(void *, aligned_alloc, (size_t a, size_t n), (a, n))
REPLACE(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n))
REPLACE(void *, memmove, (void *to, const void *from, size_t n), (to, from, n))
REPLACE(void *, memset, (void *to, int c, size_t n), (to, c, n))
REPLACE(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n))
REPLACE(void *, memchr, (const void *s, int c, size_t n), (s, c, n))
REPLACE(char *, strdup, (const char *s), (s))
REPLACE(size_t, strlen, (const char *s), (s))
REPLACE(int, strcmp, (const char *a, const char *b), (a, b))
REPLACE(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n))
REPLACE(char *, strchr, (const char *s, int c), (s, c))
REPLACE(char *, strrchr, (const char *s, int c), (s, c))
REPLACE(size_t, strspn, (const char *s, const char *of), (s, of))
REPLACE(size_t, strcspn, (const char *s, const char *of), (s, of))
REPLACE(unsigned long long, strtoull, (const char *s, char **end, int base),
	(s, end, base))
REPLACE(FILE *, fopen, (const char *path, const char *mode), (path, mode))
REPLACE(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
REPLACE(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
REPLACE(int, close, (int fd), (fd))
REPLACE(void, qsort,
	(void *p, size_t n, size_t size, int (*compare)(const void *, const void *)),
	(p, n, size, compare))

__attribute__((constructor, no_profile_instrument_function)) static void set_up(void)
{
	is_ready = 1;
}

OPAQUE int traced(int x)
{
	return x + 1;
}

int main(void)
{
	printf("called early:%s\n%d\n", early, traced(41));
	return 0;
}
