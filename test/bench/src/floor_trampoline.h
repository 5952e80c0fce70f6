/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A trampoline with the minimum cost of calling a handler: it saves one register and calls
 * a function pointer in memory. Unlike Patchbay's trampolines, it does not record which
 * threads are inside.
 */
#ifndef BENCH_FLOOR_TRAMPOLINE_H
#define BENCH_FLOOR_TRAMPOLINE_H

/* Called by a site; not a C function. Clears CF, which the site's jb tests. */
extern const char floor_trampoline[];

/* The function that the trampoline calls, with arbitrary arguments. */
extern void (*floor_handler)(void);

#endif /* BENCH_FLOOR_TRAMPOLINE_H */
