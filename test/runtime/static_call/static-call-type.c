/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With -fsanitize=kcfi an update refuses a function of a different or unknown type, and
 * changes nothing. NULL and RET0 are valid for any type. Without -fsanitize=kcfi an
 * update accepts every function. LTO keeps the types.
 */
// RUN: %build %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: %build %s -o %t.pie -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.pie | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: %build %s -o %t.lto -flto --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.lto | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: %plain %s -o %t.plain --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.plain | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: %build -fsanitize-kcfi-arity %s -o %t.arity --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.arity | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: %build -fno-sanitize=kcfi %s -o %t.not --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.not | FileCheck %s --check-prefixes=CHECK,UNTYPED
//
// CHECK:        same type: 0, calls 2
// TYPED-NEXT:   other type: -EINVAL, calls 2
// TYPED-NEXT:   no type: -EINVAL, calls 2
// TYPED-NEXT:   nothing before it: -EINVAL, calls 2
// UNTYPED-NEXT: other type: 0, calls 3
// UNTYPED-NEXT: no type: 0, calls 10
// UNTYPED-NEXT: nothing before it: 0, calls 42
// CHECK-NEXT:   RET0: 0, calls 0
// CHECK-NEXT:   first: 0, calls 1
// CHECK-NEXT:   NULL: 0

#include <patchbay/static_call.h>

#include "../Inputs/check.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

typedef int function(int);

static int one(int x) { return x - 9; }
static int two(int x) { return x - 8; }
static int three(long x) { return (int)x - 7; }

DEFINE_STATIC_CALL(number, one);

static void report(const char *what, int error)
{
	printf("%s: %s%s, calls %d\n", what, error ? "-" : "",
	       error ? strerrorname_np(-error) : "0", static_call(number)(10));
}

/* Returns a function in a separate mapping that follows an unmapped page. */
static function *at_start_of_mapping(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };
#elif defined(__aarch64__)
	static const unsigned int code[] = { 0x52800540, 0xd65f03c0 };
#else
	static const unsigned int code[] = { 0x3860002a, 0x4e800020 };
#endif
	const size_t page = 0x10000;
	char *two_pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(two_pages != MAP_FAILED && !munmap(two_pages, page));
	memcpy(two_pages + page, code, sizeof(code));
	CHECK(!mprotect(two_pages + page, page, PROT_READ | PROT_EXEC));
	__builtin___clear_cache(two_pages + page, two_pages + 2 * page);
	return (function *)(two_pages + page);
}

int main(void)
{
	report("same type", static_call_update(number, two));
	report("other type", static_call_update(number, (function *)three));
	report("no type", static_call_update(number, (function *)labs));
	report("nothing before it",
	       static_call_update(number, at_start_of_mapping()));
	report("RET0", static_call_update(number, STATIC_CALL_RET0(number)));
	report("first", static_call_update(number, one));
	printf("NULL: %d\n", static_call_update(number, NULL));
	return 0;
}
