/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often each function was called that is armed for the budget (budget.h): handlers count,
 * and the thread that listens takes what has come since it looked last, and, apart from that,
 * since it decided last.
 */
#ifndef PB_TRACE_CALL_COUNTS_H
#define PB_TRACE_CALL_COUNTS_H

#include <patchbay/patchbay.h>

#include <stddef.h>
#include <stdint.h>

/* Of functions of a module that were armed at once, and of those that were before them. */
struct pb_counts;

/* How often a function was called since the last look, or decision. */
struct pb_busy {
	uintptr_t entry;
	uint64_t calls;
};

/* For patchbay_ops_attr.attach. Returns 0 or -ENOMEM. */
int pb_counts_attach(void *data, const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr);

/* All that are there now. Others may come meanwhile, which these do not lead to. */
struct pb_counts *pb_counts_first(void);

/* The number of functions. */
size_t pb_counts_functions(const struct pb_counts *counts);

/*
 * Those that were called since the last look, or, with @decide, since the last decision; the
 * number of these. @busy has place for all functions.
 */
size_t pb_counts_take(struct pb_counts *counts, struct pb_busy *busy, int decide);

/* Calls until the last look of these functions are none to decide about. */
void pb_counts_decided(struct pb_counts *counts, const struct pb_busy *which, size_t nr);

/* In a forked child: what was called until now was called by its parent. */
void pb_counts_begin_anew(void);

/* Once no handler counts any more. */
void pb_counts_free(void);

#endif /* PB_TRACE_CALL_COUNTS_H */
