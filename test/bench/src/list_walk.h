/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BENCH_LIST_WALK_H
#define BENCH_LIST_WALK_H

#include <patchbay/patchbay.h>

#include <stdlib.h>

/* A function in a filter. A filter is a hash table with 2^bits buckets. */
struct list_entry {
	struct list_entry *next;
	uintptr_t ip;
};

struct list_hash {
	unsigned int bits;
	size_t nr;
	struct list_entry **buckets;
};

/* Filters are separate from the tracer, because several tracers may share them. */
struct list_tracer {
	struct list_tracer *next;
	patchbay_handler handler;
	const struct list_hash *filter, *notrace;
};

extern struct list_tracer *list_tracers;

void list_walk(uintptr_t ip, uintptr_t parent_ip,
	       const struct patchbay_cell *cell, struct patchbay_regs *regs);

/*
 * Makes a tracer of one function, without adding it to the list. Returns NULL if out of
 * memory.
 */
struct list_tracer *list_tracer_new(patchbay_handler handler, uintptr_t ip);

#endif /* BENCH_LIST_WALK_H */
