/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call_counts.h"

#include "functions/index.h"
#include "session/session.h"

#include <core/system/memory.h>

#include <errno.h>

/* @calls: counters that handlers increment. @of: the counts at the last look and decision. */
struct pb_counts {
	struct pb_counts *next;
	size_t nr;
	uint64_t *calls;
	struct {
		uintptr_t entry;
		uint64_t before, decided;
	} of[];
};

static struct pb_counts *all; /* new elements come first */

static void free_counts(struct pb_counts *counts)
{
	pb_free(counts->calls);
	pb_free(counts);
}

static struct pb_counts *new_counts(size_t nr)
{
	struct pb_counts *counts = pb_calloc(1, sizeof(*counts) + nr * sizeof(counts->of[0]));

	if (!counts)
		return NULL;
	counts->nr = nr;
	counts->calls = pb_calloc(nr, sizeof(*counts->calls));
	if (counts->calls)
		return counts;
	free_counts(counts);
	return NULL;
}

int pb_counts_attach(void *data, const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr)
{
	struct pb_counts *counts = new_counts(nr);

	(void)data;
	(void)module;
	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		counts->of[i].entry = targets[i].entry;
	/* pb_index_new() makes an index that the session owns and frees. */
	pb_guard(&pb_session->lock);
	if (!pb_index_new(targets, nr, 0, counts->calls)) {
		free_counts(counts);
		return -ENOMEM;
	}
	counts->next = all;
	__atomic_store_n(&all, counts, __ATOMIC_RELEASE);
	return 0;
}

struct pb_counts *pb_counts_first(void)
{
	return __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

size_t pb_counts_functions(const struct pb_counts *counts)
{
	size_t nr = 0;

	for (; counts; counts = counts->next)
		nr += counts->nr;
	return nr;
}

static uint64_t calls_of(const struct pb_counts *counts, size_t i)
{
	return __atomic_load_n(&counts->calls[i], __ATOMIC_RELAXED);
}

static uintptr_t size_of(const struct pb_counts *counts, size_t i)
{
	const int has_next = i + 1 < counts->nr && counts->of[i + 1].entry > counts->of[i].entry;

	return has_next ? counts->of[i + 1].entry - counts->of[i].entry : UINTPTR_MAX;
}

size_t pb_counts_take(struct pb_counts *counts, struct pb_busy *busy, int decide)
{
	size_t nr = 0;

	for (; counts; counts = counts->next)
		for (size_t i = 0; i < counts->nr; i++) {
			const uint64_t calls = calls_of(counts, i);
			uint64_t *last = decide ? &counts->of[i].decided :
						  &counts->of[i].before;

			if (calls == *last)
				continue;
			busy[nr].entry = counts->of[i].entry;
			busy[nr].size = size_of(counts, i);
			busy[nr++].calls = calls - *last;
			*last = calls;
		}
	return nr;
}

void pb_counts_decided(struct pb_counts *counts, const struct pb_busy *which, size_t nr)
{
	for (; nr && counts; counts = counts->next)
		for (size_t i = 0; i < counts->nr; i++)
			for (size_t j = 0; j < nr; j++)
				if (counts->of[i].entry == which[j].entry)
					counts->of[i].decided = counts->of[i].before;
}

void pb_counts_begin_anew(void)
{
	struct pb_counts *first = pb_counts_first();

	for (struct pb_counts *each = first; each; each = each->next)
		for (size_t i = 0; i < each->nr; i++) {
			const uint64_t calls = calls_of(each, i);

			/*
			 * Do not write to unchanged elements, so that the child need not
			 * copy their pages.
			 */
			if (each->of[i].before != calls)
				each->of[i].before = calls;
			if (each->of[i].decided != calls)
				each->of[i].decided = calls;
		}
}

void pb_counts_free(void)
{
	struct pb_counts *counts;

	while ((counts = all)) {
		all = counts->next;
		free_counts(counts);
	}
}
