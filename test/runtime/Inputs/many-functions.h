/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* D10000(0): ten thousand functions, many_00000() to many_09999(). */
#ifndef MANY_FUNCTIONS_H
#define MANY_FUNCTIONS_H

#define D1(n) __attribute__((noinline)) void many_##n(void) { __asm__(""); }
#define D10(n) D1(n##0) D1(n##1) D1(n##2) D1(n##3) D1(n##4)                    \
	       D1(n##5) D1(n##6) D1(n##7) D1(n##8) D1(n##9)
#define D100(n) D10(n##0) D10(n##1) D10(n##2) D10(n##3) D10(n##4)              \
		D10(n##5) D10(n##6) D10(n##7) D10(n##8) D10(n##9)
#define D1000(n) D100(n##0) D100(n##1) D100(n##2) D100(n##3) D100(n##4)        \
		 D100(n##5) D100(n##6) D100(n##7) D100(n##8) D100(n##9)
#define D10000(n) D1000(n##0) D1000(n##1) D1000(n##2) D1000(n##3) D1000(n##4)  \
		  D1000(n##5) D1000(n##6) D1000(n##7) D1000(n##8) D1000(n##9)

#endif /* MANY_FUNCTIONS_H */
