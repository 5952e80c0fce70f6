/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Updates a static call once; for tests of the installed tree. */
#include <patchbay/static_call.h>
#include <stdio.h>

__attribute__((noinline)) int twice(int a)
{
	return 2 * a;
}

__attribute__((noinline)) int thrice(int a)
{
	return 3 * a;
}

DEFINE_STATIC_CALL(times, twice);

int main(int argc, char **argv)
{
	int sum = static_call(times)(argc) + static_call(times)(argc);

	(void)argv;
	static_call_update(times, thrice);
	printf("sum %d\n", sum + static_call(times)(argc));
	return 0;
}
