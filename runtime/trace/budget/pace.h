/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decides when the listening thread looks at the calls (budget.h). For max-rate= the time
 * between two looks must be long enough to measure a rate. For max-overhead= it must be
 * short, because a busy function costs time until the next look. So it is short at the
 * start, and after each decision that disarmed a function. Handlers ask for a look when
 * one function costs too much.
 */
#ifndef PB_TRACE_PACE_H
#define PB_TRACE_PACE_H

#include <stdint.h>

#define PB_PACE_RATE_MS 100
#define PB_PACE_COST_MS 40
#define PB_PACE_SOON_MS 2

/*
 * @passed_ns: elapsed time since the last look
 * @cpu_ns:    CPU time of the process since the last look that counted calls
 * @has_news:  @cpu_ns is large enough to estimate the cost of calls
 */
struct pb_look {
	uint64_t passed_ns, cpu_ns;
	int has_news;
};

void pb_pace_begin(void);
/* In a forked child: forget the times of its parent. */
void pb_pace_begin_in_child(void);
/*
 * A power of 2 minus 1. Handlers ask for a look each time a counter has all these bits
 * clear.
 */
uint64_t pb_pace_wake_mask(void);

/* Is it time to look? Fills in *@look then. */
int pb_pace_is_due(struct pb_look *look);
/*
 * The look has counted calls, which took the thread @ns. Programs with many functions
 * need longer looks, so the time between looks grows with @ns.
 */
void pb_pace_counted(uint64_t ns);
/* Look often again: a program in a new phase may have other busy functions. */
void pb_pace_hurry(void);
/* The look is over. */
void pb_pace_looked(const struct pb_look *look);
/* Milliseconds until the next look is due. */
int pb_pace_timeout(void);

#endif /* PB_TRACE_PACE_H */
