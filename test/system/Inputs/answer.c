/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library, and a program that needs this library. */
int answer(void);

#ifdef LIBRARY
int answer(void)
{
	return 42;
}
#else
int main(void)
{
	return answer();
}
#endif
