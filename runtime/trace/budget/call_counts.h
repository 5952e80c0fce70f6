/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the calls of each function that is armed for the budget (budget.h). Handlers
 * increment the counters. The listening thread takes the calls since its last look and,
 * separately, the calls since its last decision.
 */
#ifndef PB_TRACE_CALL_COUNTS_H
#define PB_TRACE_CALL_COUNTS_H

#include <patchbay/patchbay.h>

#include <stddef.h>
#include <stdint.h>

/*
 * Functions of one module that were armed together. The elements form a list, newest first.
 */
struct pb_counts;

/* The calls of a function since the last look or decision. */
struct pb_busy {
	uintptr_t entry;
	uintptr_t size; /* bytes to the next armed function, about the size of its code */
	uint64_t calls;
};

/* For patchbay_ops_attr.attach. Returns 0 or -ENOMEM. */
int pb_counts_attach(void *data, const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr);

/* Returns the first element of the list. Other threads add elements only before it. */
struct pb_counts *pb_counts_first(void);

/* Returns the number of functions in @counts and the following elements. */
size_t pb_counts_functions(const struct pb_counts *counts);

/*
 * Store the functions that were called since the last look or, with @decide, since the
 * last decision. Returns their number. @busy has room for all functions.
 */
size_t pb_counts_take(struct pb_counts *counts, struct pb_busy *busy, int decide);

/* Make later decisions ignore calls of these functions up to the last look. */
void pb_counts_decided(struct pb_counts *counts, const struct pb_busy *which, size_t nr);

/* Called in a forked child: ignore the calls so far, which its parent made. */
void pb_counts_begin_anew(void);

/* Call this when no thread is in pb_budget_call(). */
void pb_counts_free(void);

#endif /* PB_TRACE_CALL_COUNTS_H */
