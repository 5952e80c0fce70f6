/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A static call to NULL does nothing, and one to RET0 returns 0, initially and after
 * updates, for every way of linking. The tramp never jumps indirectly for them.
 * Arguments and the caller's registers stay unchanged.
 */
// RUN: %build %s -o %t.pie -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.pie | FileCheck %s
// RUN: %build %s -o %t.exe -fno-pie -no-pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.exe | FileCheck %s
// RUN: %build %s -o %t.static -static --ld-path=%ld.lld -Wl,--static-calls %patchbay_lib/libpatchbay.a
// RUN: %t.static | FileCheck %s
// RUN: %build %s -o %t.lto -flto --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.lto | FileCheck %s
// RUN: %build %s -o %t.cet -fcf-protection=full --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.cet | FileCheck %s
// CHECK: NULL and RET0, 3 times each

#include <patchbay/static_call.h>

#include "../Inputs/check.h"
#include "../Inputs/tramp.h"

static void set(int *to, int value) { *to = value; }
static long twice(long x) { return 2 * x; }
static char *string(void) { return "string"; }

DEFINE_STATIC_CALL_NULL(event, set);
DEFINE_STATIC_CALL_RET0(number, twice);
DEFINE_STATIC_CALL_RET0(name, string);
DEFINE_STATIC_CALL(first_set, set);

static void check_null(void)
{
	int value = 1;

	static_call_cond(event)(&value, 2);
	CHECK_EQ(value, 1);
	CHECK(!static_call_query(event));
	CHECK(has_direct_tramp(event));
}

static void check_ret0(void)
{
	CHECK_EQ(static_call(number)(21), 0);
	CHECK(!static_call(name)());
	CHECK(static_call_query(number) == STATIC_CALL_RET0(number));
	CHECK(has_direct_tramp(number));
}

int main(void)
{
	int value = 1;

	check_null();
	check_ret0();
	/* An update accepts the value that a query returned. */
	CHECK_EQ(static_call_update(event, static_call_query(event)), 0);
	CHECK_EQ(static_call_update(number, static_call_query(number)), 0);
	check_null();
	check_ret0();

	CHECK_EQ(static_call_update(event, set), 0);
	CHECK_EQ(static_call_update(number, twice), 0);
	CHECK_EQ(static_call_update(name, string), 0);
	static_call_cond(event)(&value, 3);
	CHECK_EQ(value, 3);
	CHECK(static_call_query(event) == set);
	CHECK_EQ(static_call(number)(21), 42);
	CHECK_EQ(*static_call(name)(), 's');

	CHECK_EQ(static_call_update(event, NULL), 0);
	CHECK_EQ(static_call_update(number, STATIC_CALL_RET0(number)), 0);
	CHECK_EQ(static_call_update(name, (void *)&__static_call_return0), 0);
	check_null();
	check_ret0();

	CHECK_EQ(static_call_update(first_set, NULL), 0);
	static_call(first_set)(&value, 4);
	CHECK_EQ(value, 3);
	printf("NULL and RET0, 3 times each\n");
	return 0;
}
