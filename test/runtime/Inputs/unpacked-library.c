/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library that unpacked.c loads. strip(1) removes its local names from all tables.
 */
__attribute__((noinline)) static int helper(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int f(int n);
int f(int n)
{
	for (int i = 0; i < 10; i++)
		n = helper(n);
	return n;
}
