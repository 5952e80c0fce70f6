/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are never called, for irrelevant tracers. */
#ifndef BENCH_OTHERS_H
#define BENCH_OTHERS_H

#include <stdint.h>

#define NR_OTHERS 100

/* The addresses of other_0 to other_99. */
extern unsigned int (*const others[NR_OTHERS])(unsigned int);

#endif /* BENCH_OTHERS_H */
