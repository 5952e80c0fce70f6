/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions other than the one that is called, for tracers of no relevance. */
#ifndef BENCH_OTHERS_H
#define BENCH_OTHERS_H

#include <stdint.h>

#define NR_OTHERS 100

/* other_0 to other_99; here is where they are. */
extern unsigned int (*const others[NR_OTHERS])(unsigned int);

#endif /* BENCH_OTHERS_H */
