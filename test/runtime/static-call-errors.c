/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An update that fails says so and changes nothing: where the tramp is not the
 * key's, where its bytes are unknown, and where the text cannot be written.
 */
// RUN: %build %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t | FileCheck %s
// CHECK: other key: -EILSEQ, calls 1, query 1
// CHECK: changed tramp: -EILSEQ, calls 1, query 1
// CHECK: no file: -EMFILE, calls 1, query 1
// CHECK: in the end: 0, calls 2, query 1

#include <patchbay/static_call.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

DEFINE_STATIC_CALL(number, one);
DEFINE_STATIC_CALL(other, one);

static void report(const char *what, int error, int (*target)(void))
{
	printf("%s: %s%s, calls %d, query %d\n", what, error ? "-" : "",
	       error ? strerrorname_np(-error) : "0", static_call(number)(),
	       static_call_query(number) == target);
}

/* As a debugger's breakpoint would be, but in the padding. */
static void write_text(unsigned char *text, unsigned char byte)
{
	int file = open("/proc/self/mem", O_RDWR);

	if (pwrite(file, &byte, 1, (off_t)text) != 1)
		perror("/proc/self/mem");
	close(file);
}

int main(void)
{
	unsigned char *tramp = STATIC_CALL_KEY(number).tramp;
	struct rlimit limit, none;
	int error;

	error = __static_call_update(&STATIC_CALL_KEY(number),
				     STATIC_CALL_KEY(other).tramp, (void *)two);
	report("other key", error, one);

	write_text(tramp + 12, 0x90);
	error = static_call_update(number, two);
	write_text(tramp + 12, 0x0f);
	report("changed tramp", error, one);

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	error = static_call_update(number, two);
	setrlimit(RLIMIT_NOFILE, &limit);
	report("no file", error, one);

	error = static_call_update(number, two);
	report("in the end", error, two);
	return 0;
}
