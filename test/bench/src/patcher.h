/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * patch_main.c and start_main.c time the arming of functions. A system under test defines
 * these functions, which return NULL or an error message. Its handlers count calls, so that
 * every sample proves the timed work.
 */
#ifndef BENCH_PATCHER_H
#define BENCH_PATCHER_H

#include <stdint.h>

const char *patcher_init(void);
const char *patcher_arm_all(void);
const char *patcher_disarm_all(void);

/* Arms the function with the entry @entry. */
const char *patcher_arm_one(uintptr_t entry);

/* Arms a function by its name, if the system knows names. */
const char *patcher_arm_hot_callee(void);
extern const int patcher_has_names;

/* Makes all armed functions call another handler, which also counts. */
const char *patcher_retarget(void);

/*
 * Arms a second tracer on all functions that have the first tracer. Undefined (NULL) in
 * systems with a single handler for all functions.
 */
#define PATCHER_WEAK __attribute__((weak))
PATCHER_WEAK const char *patcher_arm_second(void);
PATCHER_WEAK const char *patcher_disarm_second(void);

/* Returns the number of events of all handlers since the last call, and sets
 * @handler to the handler of the last event. */
uint64_t patcher_events(int *handler);

/* Events per call of an armed function. */
extern const unsigned int patcher_events_per_call;

#endif /* BENCH_PATCHER_H */
