/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A service that works every few milliseconds until a signal kills it. With
 * MAIN_RETURNS it works once and returns.
 */
#include <time.h>

__attribute__((noinline)) void serves(void)
{
	const struct timespec wait = { .tv_nsec = 2000000 };

	nanosleep(&wait, NULL);
}

int main(void)
{
	do
		serves();
#ifdef MAIN_RETURNS
	while (0);
#else
	while (1);
#endif
}
