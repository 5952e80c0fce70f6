/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Of two modules one is armed by stores, and one is written, since its file has been
 * replaced: while the text of the first cannot be executed, no system call is made by way
 * of a function that it has, as a program that has a pwrite() of its own. Whichever it is,
 * and if one of them is not what it should be.
 */
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.dir/libmixed.so
// RUN: %build %s -o %t.dir/mixed -L %t.dir -lmixed -Wl,-rpath,%t.dir %link
// RUN: timeout -s KILL 20 %t.dir/mixed
// RUN: cp %t.dir/libmixed.so %t.dir/other && timeout -s KILL 20 %t.dir/mixed %t.dir/other %t.dir/libmixed.so
// RUN: cp %t.dir/mixed %t.dir/other && timeout -s KILL 20 %t.dir/mixed %t.dir/other %t.dir/mixed
#include "Inputs/check.h"
#include "Inputs/repeat.h"

#ifdef LIBRARY
#define FUNCTION(n) OPAQUE void library_mixed##n(void) {}
X256(FUNCTION, _)
#define ADDRESS(n) library_mixed##n,
void (*const library_functions[])(void) = { X256(ADDRESS, _) };
#else
#include "Inputs/count-calls.h"

#include <patchbay/abi.h>
#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n) OPAQUE static void program_mixed##n(void) {}
X256(FUNCTION, _)
#define ADDRESS(n) program_mixed##n,
static void (*const program_functions[])(void) = { X256(ADDRESS, _) };
enum { NR = sizeof(program_functions) / sizeof(program_functions[0]) };

extern void (*const library_functions[])(void);

/* Not traced, so that it is not called by way of what has just been disarmed. */
__attribute__((no_profile_instrument_function)) ssize_t
pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	return syscall(SYS_pwrite64, file, bytes, size, offset);
}

/* Somebody else writes at a pad: the second time it is what it was. */
static void turn(void (*function)(void))
{
	const char *at = (const char *)function + PATCHBAY_PAD_OFFSET;
	const char byte = (char)~*at;
	const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	CHECK(file >= 0);
	CHECK_EQ(pwrite(file, &byte, 1, (off_t)at), 1);
	close(file);
}

static long calls_seen(void)
{
	calls = 0;
	for (int i = 0; i < NR; i++) {
		program_functions[i]();
		library_functions[i]();
	}
	return calls;
}

static void is_odd(struct patchbay_ops *ops, void (*function)(void))
{
	turn(function);
	CHECK_EQ(patchbay_arm(ops, "*_mixed_*", 0), -EILSEQ);
	CHECK_EQ(calls_seen(), 0);
	turn(function);
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	pid_t child;
	int status;

	if (argc > 2)
		CHECK_EQ(rename(argv[1], argv[2]), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STORES), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	for (int odd = 0; odd < 3; odd++) {
		child = fork();
		CHECK(child >= 0);
		if (child) {
			CHECK_EQ(waitpid(child, &status, 0), child);
			CHECK_EQ(status, 0);
			continue;
		}
		if (odd)
			is_odd(ops, odd == 1 ? program_functions[NR - 1] :
					       library_functions[NR - 1]);
		CHECK_EQ(patchbay_arm(ops, "*_mixed_*", 0), 2 * NR);
		CHECK_EQ(calls_seen(), 2 * NR);
		CHECK_EQ(patchbay_disarm(ops, "*"), 2 * NR);
		CHECK_EQ(calls_seen(), 0);
		_exit(0);
	}
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
#endif
