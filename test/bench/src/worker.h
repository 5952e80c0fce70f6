/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A worker is one program under test: worker.c, a load (what is timed) and a
 * tracer (what is armed on it). Loads and tracers are compiled apart, so that
 * programs of a case differ in nothing but the code of the system under test.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <stdint.h>

/*
 * The load: make this many calls and return a value that depends on all. This
 * is a slice, and best much shorter than the time for which the kernel lets
 * another process run: then some slices are not interrupted.
 */
uint64_t load_run(uint64_t calls);

/* Not timed, before each load_run(). */
void load_prepare(void);

/*
 * The tracer: first every event of the load is counted, so that the harness
 * sees that the tracer does see the calls; then the handler that is timed takes
 * its place, which does nothing. Both return NULL or what went wrong.
 */
const char *tracer_count(const char *option);
const char *tracer_empty(const char *option);
uint64_t tracer_events(void);

#endif /* BENCH_WORKER_H */
