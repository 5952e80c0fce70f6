/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments that do not exist, or cannot be read. */
#include "check.h"

struct parts {
	unsigned low : 4, high : 4;
	long double wide;
};
struct unknown;

OPAQUE int parse(const char *name, unsigned len, struct parts *parts,
		 struct unknown *unknown)
{
	return len == 7;
}

OPAQUE void nothing(void)
{
}

/* The compiler keeps only the second argument of this function. */
static __attribute__((noinline)) int keeps(int dropped, int kept)
{
	__asm__ volatile("" : "+r"(kept));
	return kept + 1;
}

int main(int argc, char **argv)
{
	nothing();
	parse(argv[0], (unsigned)argc, 0, 0);
	return keeps(argc, argc + 1) == 0;
}
