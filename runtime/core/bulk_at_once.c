/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bulk_at_once.h"

#include "bulk_block.h"
#include "bulk_run.h"
#include "text.h"

#include <errno.h>

/*
 * Arm functions from @i to below @end as long as they belong to @run, their text is
 * what it should be, and the block is ready for them. Returns the first one that is not
 * armed.
 *
 * A thread sees slot and site once the copy is written, as patch.c says.
 */
static inline __attribute__((always_inline)) size_t
arm_run_behind(const struct pb_module *module, const struct pb_bulk_run *like, size_t i,
	       size_t end, struct pb_bulk_ready *ready, const uintptr_t behind)
{
	const struct patchbay_record *record = &module->records[i],
				     *last = &module->records[end];
	const struct pb_bulk_run run = *like;
	const uintptr_t slot = (uintptr_t)run.group->cell;
	const uintptr_t text = ready->text, far = ready->far;
	uintptr_t armed = ready->last;

	for (; record < last; record++) {
		uintptr_t entry, site;

		PB_KEEP_ONE(record);
		if (!pb_bulk_run_has(&run, record, behind))
			break;
		entry = pb_record_entry(record);
		site = entry + behind;
		if (site > far || !pb_bulk_is_disarmed(run.reach + text, text + entry,
						       text + site, behind) ||
		    pb_bulk_slot_at(text + entry) != run.slot)
			break;
		pb_bulk_flip((uint8_t *)(text + site), 1);
		pb_bulk_slot((uint8_t *)(text + entry - PB_BULK_BEFORE), slot, 0);
		armed = site;
	}
	ready->last = armed;
	return (size_t)(record - module->records);
}

/* Not inlined, so that nothing that the loops need is in memory. */
static __attribute__((noinline)) size_t arm_run(const struct pb_module *module,
						const struct pb_bulk_run *run, size_t i,
						size_t end, struct pb_bulk_ready *ready)
{
	if (run->behind == PB_BULK_NEAR)
		return arm_run_behind(module, run, i, end, ready, PB_BULK_NEAR);
	if (run->behind == PB_BULK_FAR)
		return arm_run_behind(module, run, i, end, ready, PB_BULK_FAR);
	return i;
}

/*
 * Functions before @end get back what they had, each by a write of its own. What is not
 * armed has not been written yet, or is
 * somebody else's by now, and is left; a site leads nowhere, and whoever comes to the
 * function finds out. Returns 0 or an error of writing: then some are armed.
 */
static int disarm_written(struct pb_bulk *bulk, struct pb_bulk_module *b, size_t end)
{
	const struct pb_module *module = b->module;
	int worst = 0;

	for (size_t i = pb_choice_next(&b->choice, 0); i < end;
	     i = pb_choice_next(&b->choice, i + 1)) {
		const struct patchbay_record *record = &module->records[i];
		const uintptr_t entry = pb_record_entry(record),
				site = pb_record_site(record);
		const uint64_t slot = (uintptr_t)pb_bulk_group(b, pb_shape(record))
					      ->group.cell;
		uint8_t armed = *(const uint8_t *)site, disarmed = armed;
		int error;

		if (pb_bulk_flip(&disarmed, 0))
			continue;
		error = pb_text_write(bulk->handle, site, &armed, &disarmed, 1);
		if (!error)
			error = pb_text_write(bulk->handle, entry - PB_BULK_BEFORE, &slot,
					      &b->slot_of[pb_owner(module, i)],
					      sizeof(slot));
		if (error && error != -EILSEQ)
			worst = error;
	}
	return worst;
}

/*
 * Returns 0; PB_BULK_IN_STEPS: some function is not what it should be; or a negative
 * errno.
 */
static int arm_functions(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	const struct pb_module *module = b->module;
	struct pb_text_block *block = &bulk->block;
	size_t i = pb_choice_next(&b->choice, 0), first = i, row = i, next;
	struct pb_bulk_ready ready = { .last = 0 };
	struct pb_bulk_run run;
	int error;

	while (i < module->nr || ready.last) {
		b->reached = i;
		if (i < module->nr) {
			const struct patchbay_record *record = &module->records[i];
			const uintptr_t site = pb_record_site(record);

			if (i >= row)
				row = pb_bulk_run_limit(b, i);
			if (!pb_bulk_run_begin(b, &run, i))
				return PB_BULK_IN_STEPS;
			next = arm_run(module, &run, i, row, &ready);
			if (next > i) {
				i = next < row ? next : pb_choice_next(&b->choice, row);
				continue;
			}
			/* The block was ready for it. */
			if (ready.last && site <= ready.far)
				return PB_BULK_IN_STEPS;
			if (pb_bulk_go_on(block, &ready,
					  pb_record_entry(record) - PB_BULK_BEFORE,
					  site + PB_BULK_SITE_SIZE))
				continue;
		}
		error = pb_bulk_write(bulk, &ready);
		if (error < 0)
			return error;
		if (error == PB_TEXT_CHANGED)
			i = row = first;
		first = i;
	}
	b->reached = module->nr;
	return 0;
}

/* Functions of modules that add themselves to those that were @changed. */
static int arm_modules(struct pb_bulk *bulk, struct pb_bulk_module **changed)
{
	int error = 0;

	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next) {
		if (!b->nr)
			continue;
		/*
		 * What is taken back may have to settle before the batch can begin anew,
		 * and it must not come here again then.
		 */
		b->module->in_steps = 1;
		if (!b->first)
			return PB_BULK_IN_STEPS;
		b->before = *changed;
		*changed = b;
		error = arm_functions(bulk, b);
		b->module->in_steps = error != 0;
	}
	return error;
}

int pb_bulk_arm_at_once(struct pb_bulk *bulk)
{
	struct pb_bulk_module *changed = NULL;
	int error = bulk->handle < 0 ? bulk->handle : arm_modules(bulk, &changed);

	/* From the last one that was changed on; taken back, if it is to be tried in steps. */
	for (struct pb_bulk_module *b = changed; b && error == PB_BULK_IN_STEPS;
	     b = b->before) {
		int undone = disarm_written(bulk, b, b->reached);

		if (undone)
			return undone;
	}
	return error;
}
