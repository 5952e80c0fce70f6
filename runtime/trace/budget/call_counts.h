/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the calls of each function that is armed for the budget (budget.h).
 * Handlers count. The listening thread takes the calls since its last look and,
 * separately, the calls since its last decision.
 */
#ifndef PB_TRACE_CALL_COUNTS_H
#define PB_TRACE_CALL_COUNTS_H

#include <patchbay/patchbay.h>

#include <stddef.h>
#include <stdint.h>

/*
 * The functions of one module that were armed at once. Elements form a list,
 * newest first.
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

/* The list as it is now. It does not point to elements that other threads add later. */
struct pb_counts *pb_counts_first(void);

/* The number of functions. */
size_t pb_counts_functions(const struct pb_counts *counts);

/*
 * Store the functions that were called since the last look or, with @decide, since the
 * last decision. Returns their number. @busy has room for all functions.
 */
size_t pb_counts_take(struct pb_counts *counts, struct pb_busy *busy, int decide);

/* Later decisions ignore the calls that these functions made up to the last look. */
void pb_counts_decided(struct pb_counts *counts, const struct pb_busy *which, size_t nr);

/* In a forked child: forget the calls so far, which are its parent's. */
void pb_counts_begin_anew(void);

/* Call when no handler counts any more. */
void pb_counts_free(void);

#endif /* PB_TRACE_CALL_COUNTS_H */
