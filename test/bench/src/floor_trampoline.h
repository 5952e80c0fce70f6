/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The minimum cost of calling a handler: a trampoline that calls a function pointer in
 * memory and saves one register. It knows no tracers, and cannot be waited for.
 */
#ifndef BENCH_FLOOR_TRAMPOLINE_H
#define BENCH_FLOOR_TRAMPOLINE_H

/* Called by a site; not a C function. It clears CF, which the site's jb tests. */
extern const char floor_trampoline[];

/* The function that it calls, with meaningless arguments. */
extern void (*floor_handler)(void);

#endif /* BENCH_FLOOR_TRAMPOLINE_H */
