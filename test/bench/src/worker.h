/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A worker is one program under test: worker.c, a load (the timed work) and a tracer
 * (armed on the load). Loads and tracers are compiled separately, so that programs of a
 * case differ only in the code of the system under test.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <stdint.h>

/*
 * The load: makes this many calls (a slice) and returns a value that depends on all calls.
 * A slice should be much shorter than the kernel's time slice, so that most slices run
 * without interruption.
 */
uint64_t load_run(uint64_t calls);

/* Called before each load_run(), outside of the timed interval. */
void load_prepare(void);

/*
 * The tracer. tracer_count() installs a handler that counts every event of the load, to
 * prove that the handler is called. tracer_empty() replaces it by the timed handler, which
 * does nothing. Both return NULL or an error message.
 */
const char *tracer_count(const char *option);
const char *tracer_empty(const char *option);
uint64_t tracer_events(void);

#endif /* BENCH_WORKER_H */
