// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static call is a direct call whose target can change at run time.
//
// REQUIRES: lld, host-x86_64
// RUN: %clang_pass -O2 -fsanitize=kcfi -I%patchbay_include %s -o %t \
// RUN:   --ld-path=%ld.lld -Wl,--static-calls -L%patchbay_lib -Wl,-rpath,%patchbay_lib -lpatchbay
// RUN: %t | FileCheck %s
// CHECK:      step is twice:  sum = 110
// CHECK-NEXT: step is square: sum = 385
#include <patchbay/static_call.h>
#include <stdio.h>

static int twice(int x)
{
	return 2 * x;
}

static int square(int x)
{
	return x * x;
}

DEFINE_STATIC_CALL(step, twice);

static int sum(void)
{
	int total = 0;

	for (int i = 1; i <= 10; i++)
		total += static_call(step)(i);
	return total;
}

int main(void)
{
	printf("step is twice:  sum = %d\n", sum());
	int error = static_call_update(step, square);
	if (error) {
		fprintf(stderr, "static_call_update: error %d\n", error);
		return 1;
	}
	printf("step is square: sum = %d\n", sum());
	return 0;
}
