/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When the listening thread looks at the calls (budget.h). max-rate= needs a
 * time that is long enough for a rate. With max-overhead= the program pays for a
 * busy function until the next look. So the first looks come soon, and so do
 * those after a decision that disarmed a function. Handlers ask for a look when
 * one function costs too much.
 */
#ifndef PB_TRACE_PACE_H
#define PB_TRACE_PACE_H

#include <stdint.h>

#define PB_PACE_RATE_MS 100
#define PB_PACE_COST_MS 40
#define PB_PACE_SOON_MS 2

/*
 * @passed_ns: on the clock since the last look
 * @cpu_ns:    CPU time of the process since the last look that counted calls
 * @has_news:  that is enough to tell what calls cost
 */
struct pb_look {
	uint64_t passed_ns, cpu_ns;
	int has_news;
};

void pb_pace_begin(void);
/* In a forked child: the time of its parent does not count. */
void pb_pace_begin_in_child(void);
/* Handlers ask for a look after this many calls of a function, a power of 2, less 1. */
uint64_t pb_pace_wake_mask(void);

/* Is it time to look? Fills in *@look then. */
int pb_pace_is_due(struct pb_look *look);
/*
 * The look has counted calls, which took the thread @ns. The time between looks
 * grows with that, since programs may have many functions.
 */
void pb_pace_counted(uint64_t ns);
/* A program in a new phase of its work may have other busy functions, too. */
void pb_pace_hurry(void);
/* The look is over. */
void pb_pace_looked(const struct pb_look *look);
/* Milliseconds until the next look is due. */
int pb_pace_timeout(void);

#endif /* PB_TRACE_PACE_H */
