/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls common() for ever: directly, within handle(), and within other(). Prints
 * "ready" within a call of around(), which never ends.
 */
#include "check.h"

#include <time.h>

OPAQUE int common(int n) { return n + 1; }
OPAQUE int handle(int n) { return common(n); }
OPAQUE int other(int n) { return common(n) + common(n); }

OPAQUE void around(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	int n = 0;

	for (int i = 0;; i++) {
		n = other(handle(common(n))) & 7;
		if (i == 3) {
			puts("ready");
			fflush(stdout);
		}
		nanosleep(&wait, NULL);
	}
}

int main(void)
{
	around();
}
