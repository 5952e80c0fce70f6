/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of tracers for tracer_list.c. Compiled with -mgeneral-regs-only. */
#include "list_walk.h"

#include <stdbool.h>

struct list_tracer *list_tracers;

static __thread unsigned int recursion;

static bool has(const struct list_hash *hash, uintptr_t ip)
{
	unsigned int bucket = 0;

	if (hash->bits)
		bucket = (unsigned int)((ip * UINT64_C(0x61c8864680b583eb)) >>
					(64 - hash->bits));
	for (struct list_entry *entry = hash->buckets[bucket]; entry;
	     entry = entry->next)
		if (entry->ip == ip)
			return true;
	return false;
}

void list_walk(uintptr_t ip, uintptr_t parent_ip,
	       const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	if (recursion & 1)
		return;
	recursion |= 1;
	for (struct list_tracer *tracer = list_tracers; tracer;
	     tracer = __atomic_load_n(&tracer->next, __ATOMIC_ACQUIRE))
		if ((!tracer->filter->nr || has(tracer->filter, ip)) &&
		    (!tracer->notrace->nr || !has(tracer->notrace, ip)))
			tracer->handler(ip, parent_ip, cell, regs);
	recursion &= ~1u;
}

struct list_tracer *list_tracer_new(patchbay_handler handler, uintptr_t ip)
{
	static const struct list_hash nothing;
	struct list_tracer *tracer = calloc(1, sizeof(*tracer));
	struct list_entry *entry = calloc(1, sizeof(*entry));
	struct list_hash *filter = calloc(1, sizeof(*filter));
	struct list_entry **buckets = calloc(1, sizeof(*buckets));

	if (!tracer || !entry || !filter || !buckets) {
		free(tracer);
		free(entry);
		free(filter);
		free(buckets);
		return NULL;
	}
	entry->ip = ip;
	buckets[0] = entry;
	*filter = (struct list_hash){ .nr = 1, .buckets = buckets };
	*tracer = (struct list_tracer){ .handler = handler, .filter = filter,
					.notrace = &nothing };
	return tracer;
}
