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
 * The load: make this many calls (a slice) and return a value that depends on all of them.
 * A slice should be much shorter than the kernel's time slice, so that some slices are not
 * interrupted.
 */
uint64_t load_run(uint64_t calls);

/* Called before each load_run(), and not timed. */
void load_prepare(void);

/*
 * The tracer. The first function installs a handler that counts every event of the load,
 * which proves to the harness that it sees the calls. The second replaces it by the timed
 * handler, which does nothing. Both return NULL or an error message.
 */
const char *tracer_count(const char *option);
const char *tracer_empty(const char *option);
uint64_t tracer_events(void);

#endif /* BENCH_WORKER_H */
