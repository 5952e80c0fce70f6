/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two programs that differ only in the name of one function, -DNAME=. */
__attribute__((noinline)) int NAME(void);
__attribute__((noinline)) int NAME(void)
{
	__asm__ volatile("");
	return 0;
}

int main(void)
{
	return NAME();
}
