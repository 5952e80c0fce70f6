/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The least that calling a handler can cost: a trampoline that calls what it finds
 * in memory and keeps one register. It knows no tracers, and cannot be waited for.
 */
#ifndef BENCH_FLOOR_TRAMPOLINE_H
#define BENCH_FLOOR_TRAMPOLINE_H

/* Called by a site; not a C function. It leaves CF clear, as a site's jb asks. */
extern const char floor_trampoline[];

/* What it calls, with arguments of no meaning. */
extern void (*floor_handler)(void);

#endif /* BENCH_FLOOR_TRAMPOLINE_H */
