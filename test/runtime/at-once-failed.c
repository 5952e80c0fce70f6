/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arms two modules in which no site was armed before, while threads run. One loop then
 * checks and arms the functions. At some point writes to text fail, once or for good.
 * Functions that were not checked yet stay unchanged, even a site with a foreign call. If
 * an unexpected function prevents the rollback, the error is a write error. No handler is
 * called then, and later attempts succeed.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 60 %t %t.so | FileCheck %s
// CHECK: {{^}}once: failed at {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}for good: failed at {{[1-9][0-9]*}} places{{$}}
#include "Inputs/check.h"
#include "Inputs/repeat.h"

#define FUNCTION(n) OPAQUE static int odd##n(int a) { return a + 1; }
X256(FUNCTION, _)
#define ADDRESS(n) odd##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

typedef int (*const *table)(int);

__attribute__((visibility("default"), no_profile_instrument_function)) table
get_functions(void);
table get_functions(void)
{
	return functions;
}

#ifndef LIBRARY
#include "Inputs/count-calls.h"

#include <patchbay/abi.h>
#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SITE = 7 };

static table parts[2]; /* the program's, the library's */

/* The number of the write that fails (0: none). @for_good: all later ones fail, too. */
static int fails, failed, for_good;

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	if ((fails && !--fails) || (failed && for_good)) {
		failed = 1;
		errno = EACCES;
		return -1;
	}
	return syscall(SYS_pwrite64, file, bytes, size, offset);
}

static void poke(int (*function)(int), const void *bytes, size_t size)
{
	const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	CHECK(file >= 0);
	CHECK_EQ(syscall(SYS_pwrite64, file, bytes, size, (long)function), size);
	close(file);
}

/* Counts the calls seen for all functions except @left_out. */
static long calls_seen(int (*left_out)(int))
{
	calls = 0;
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < NR; i++)
			if (parts[p][i] != left_out)
				CHECK_EQ(parts[p][i](i), i + 1);
	return calls;
}

static size_t armed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.armed;
}

static void *sleep_in_thread(void *arg)
{
	pause();
	return arg;
}

/* Let @odd hold a foreign call and the @n-th write fail. Did the write happen? */
static int fail(int (*odd)(int), int n)
{
	/* A foreign call. */
	static const unsigned char call[SITE] = { 0xe8, 1, 2, 3, 4, 0x90, 0x90 };
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	unsigned char old[SITE];
	struct patchbay_ops *ops;
	pthread_t thread;
	int nr;

	CHECK_EQ(pthread_create(&thread, NULL, sleep_in_thread, NULL), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	memcpy(old, (const void *)odd, SITE);
	poke(odd, call, SITE);
	fails = n;
	nr = patchbay_arm(ops, "odd_*", 0);
	CHECK(!memcmp((const void *)odd, call, SITE));
	CHECK_EQ(nr, failed ? -EACCES : -EILSEQ);
	CHECK(calls_seen(odd) <= (long)armed(ops));
	fails = for_good = 0;
	poke(odd, old, SITE);
	if (armed(ops))
		CHECK_EQ(patchbay_disarm(ops, "odd_*"), armed(ops));
	CHECK_EQ(calls_seen(NULL), 0);
	CHECK_EQ(armed(ops), 0);
	CHECK_EQ(patchbay_arm(ops, "odd_*", 0), 2 * NR);
	CHECK_EQ(calls_seen(NULL), 2 * NR);
	CHECK_EQ(patchbay_disarm(ops, "odd_*"), 2 * NR);
	CHECK_EQ(calls_seen(NULL), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return failed;
}

/* In a process where nothing was armed before. */
static int try(int (*odd)(int), int n)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		status = 10 + fail(odd, n);
		fflush(stdout);
		_exit(status);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) >= 10);
	return WEXITSTATUS(status) - 10;
}

static int places(void)
{
	int nr = 0;

	for (int p = 0; p < 2; p++)
		for (int n = 1; try(parts[p][NR - 1], n); n += 1 + n / 8)
			nr++;
	return nr;
}

int main(int argc, char **argv)
{
	void *library;

	CHECK_EQ(argc, 2);
	library = dlopen(argv[1], RTLD_NOW);
	CHECK(library);
	parts[0] = get_functions();
	parts[1] = ((table(*)(void))dlsym(library, "get_functions"))();
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("once: failed at %d places\n", places());
	for_good = 1;
	printf("for good: failed at %d places\n", places());
	return 0;
}
#endif
