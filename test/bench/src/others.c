/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "others.h"

#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) \
		  X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X) TEN(X, ) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) \
		   TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9)

#define DEFINE(n)                                                              \
	unsigned int other_##n(unsigned int x);                                \
	unsigned int other_##n(unsigned int x) { return x + n + 0; }
#define ADDRESS(n) other_##n,

HUNDRED(DEFINE)

unsigned int (*const others[NR_OTHERS])(unsigned int) = { HUNDRED(ADDRESS) };
