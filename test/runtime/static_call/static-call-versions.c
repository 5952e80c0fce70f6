/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a loaded module has static calls of another version, static calls of other modules
 * can still be updated. If static_call_patch_sites() fails, nothing has changed.
 */
// REQUIRES: lld
// RUN: %build -DOTHER -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}
#ifdef OTHER
__asm__(".section .note.patchbay.static_calls, \"a\", @note\n"
	"	.balign 4\n"
	"	.long 2f - 1f, 4f - 3f, 2\n"
	"1:	.asciz \"Patchbay\"\n"
	"2:	.balign 4\n"
	"3:	.long 99, 0, 0, 0, 0, 0\n"
	"4:	.text\n");
#else
#include "../Inputs/check.h"

#include <patchbay/patchbay.h>
#include <patchbay/static_call.h>

#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>

OPAQUE int one(int a) { return a + 1; }
OPAQUE int two(int a) { return a + 2; }
DEFINE_STATIC_CALL(mine, one);

int main(int argc, char **argv)
{
	struct rlimit before, none;

	CHECK_EQ(argc, 2);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_EQ(static_call_patch_sites(1), -EMFILE);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_EQ(static_call(mine)(0), 1);
	CHECK_EQ(static_call_update(mine, two), 0);
	CHECK_EQ(static_call(mine)(0), 2);
	CHECK(dlopen(argv[1], RTLD_NOW));
	CHECK_EQ(static_call_update(mine, one), 0);
	CHECK_EQ(static_call(mine)(0), 1);
	puts("done");
	return 0;
}
#endif
