/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls outer() 200 times; it calls middle() 100 times, and that leaf() 10 times. */
#define NOINLINE __attribute__((noinline))

NOINLINE void leaf(void)
{
	__asm__ volatile("");
}

NOINLINE void middle(void)
{
	for (int i = 0; i < 10; i++)
		leaf();
	__asm__ volatile("");
}

NOINLINE void outer(void)
{
	for (int i = 0; i < 100; i++)
		middle();
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 200; i++)
		outer();
	return 0;
}
