/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What patch_main.c and start_main.c time: arming functions. A system under test provides these
 * functions, which return NULL or what went wrong. Its handlers count, so that
 * every sample shows that it has done what was timed.
 */
#ifndef BENCH_PATCHER_H
#define BENCH_PATCHER_H

#include <stdint.h>

const char *patcher_init(void);
const char *patcher_arm_all(void);
const char *patcher_disarm_all(void);

/* The function that is entered at @entry. */
const char *patcher_arm_one(uintptr_t entry);

/* One by its name; only if the system knows names. */
const char *patcher_arm_hot_callee(void);
extern const int patcher_has_names;

/* Let all armed functions call another handler, which counts, too. */
const char *patcher_retarget(void);

/*
 * A second tracer, on all functions that have the first one. NULL: the system has one
 * handler for all.
 */
#define PATCHER_WEAK __attribute__((weak))
PATCHER_WEAK const char *patcher_arm_second(void);
PATCHER_WEAK const char *patcher_disarm_second(void);

/* How many events there were since the last call of this, of all handlers, and
 * which handler made the last one. */
uint64_t patcher_events(int *handler);

/* How many there are of a call of an armed function. */
extern const unsigned int patcher_events_per_call;

#endif /* BENCH_PATCHER_H */
