/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "refused.h"
#include "log.h"
#include "system/memory.h"
#include "system/sort.h"

#include <stdlib.h>

void pb_refused_add(struct pb_refused *refused,
		    const struct patchbay_target *target, int error)
{
	if (pb_grow(&refused->list, &refused->room, refused->nr + 1, sizeof(*refused->list)))
		return;
	refused->list[refused->nr++] = (struct pb_refusal){
		.entry = target->entry,
		.record = *target->record,
		.error = error,
	};
}

static int by_entry(const void *a, const void *b)
{
	const struct pb_refusal *left = a, *right = b;

	return (left->entry > right->entry) - (left->entry < right->entry);
}

/* Keep the first of a function's names. If out of memory, some names are missing. */
static int take_name(uintptr_t entry, const char *name, void *arg)
{
	const struct pb_refused *refused = arg;
	const struct pb_refusal key = { .entry = entry };
	struct pb_refusal *refusal = bsearch(&key, refused->list, refused->nr,
					     sizeof(key), by_entry);

	if (refusal && !refusal->name)
		refusal->name = pb_copy_string(name);
	return 0;
}

static void log_refusal(const struct pb_refusal *refusal, const struct pb_needs *needs,
			const struct patchbay_link_opts *opts)
{
	const char *reason = patchbay_link_strerror(refusal->error);
	char text[160];

	if (pb_needs_check(needs, &refusal->record) == refusal->error) {
		pb_needs_explain(needs, &refusal->record, text, sizeof(text));
		reason = text;
	}
	pb_log(opts, refusal->name, refusal->entry, refusal->error, reason);
}

void pb_refused_log(struct pb_refused *refused, const struct pb_needs *needs,
		    const struct patchbay_link_opts *opts)
{
	if (!refused->nr)
		return;
	pb_sort(refused->list, refused->nr, sizeof(*refused->list), by_entry);
	patchbay_for_each_name(take_name, refused);
	for (size_t i = 0; i < refused->nr; i++)
		log_refusal(&refused->list[i], needs, opts);
}

void pb_refused_free(struct pb_refused *refused)
{
	for (size_t i = 0; i < refused->nr; i++)
		pb_free(refused->list[i].name);
	pb_free(refused->list);
}
