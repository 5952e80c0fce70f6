/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What unpacked.c loads. Local names are in no table that strip(1) leaves. */
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
