/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bulk_stores.h"

#include "bulk_run.h"

int pb_bulk_stores_begin(struct pb_bulk_module *b, int handle)
{
	const struct patchbay_record *records = b->module->records;
	const size_t first = pb_choice_next(&b->choice, 0),
		     last = pb_choice_last(&b->choice);

	return pb_stores_begin(&b->stores, pb_record_entry(&records[first]),
			       pb_record_entry(&records[last]), b->nr, handle);
}

/*
 * Arm functions from @i to below @end as long as they belong to @run and their text is
 * what it should be. Returns the first one that is not armed.
 *
 * Slot and site are two stores, and a function's neighbours are armed before or after
 * it. A thread that executed one of these functions now would see something between
 * disarmed and armed; there is none, and text cannot be executed (stores.h). The same
 * goes for what is taken back.
 */
static inline __attribute__((always_inline)) size_t
arm_run_behind(const struct pb_module *module, const struct pb_bulk_run *like, size_t i,
	       size_t end, const uintptr_t behind)
{
	const struct patchbay_record *record = &module->records[i],
				     *last = &module->records[end];
	const struct pb_bulk_run run = *like;
	const uintptr_t slot = (uintptr_t)run.group->cell;

	for (; record < last; record++) {
		uintptr_t entry, site;

		PB_KEEP_ONE(record);
		if (!pb_bulk_run_has(&run, record, behind))
			break;
		entry = pb_record_entry(record);
		site = entry + behind;
		if (!pb_bulk_is_disarmed(run.reach, entry, site, behind) ||
		    pb_bulk_slot_at(entry) != run.slot)
			break;
		pb_bulk_flip((uint8_t *)site, 1);
		pb_bulk_slot((uint8_t *)(entry - PB_BULK_BEFORE), slot, 0);
	}
	return (size_t)(record - module->records);
}

/* Not inlined, so that nothing that the loops need is in memory. */
static __attribute__((noinline)) size_t arm_run(const struct pb_module *module,
						const struct pb_bulk_run *run, size_t i,
						size_t end)
{
	if (run->behind == PB_BULK_NEAR)
		return arm_run_behind(module, run, i, end, PB_BULK_NEAR);
	if (run->behind == PB_BULK_FAR)
		return arm_run_behind(module, run, i, end, PB_BULK_FAR);
	return i;
}

/* Returns the first function that is not what it should be, or the module's nr. */
static size_t arm_functions(struct pb_bulk_module *b)
{
	const struct pb_module *module = b->module;
	size_t i = pb_choice_next(&b->choice, 0), row = i, next;
	struct pb_bulk_run run;

	for (; i < module->nr; i = pb_choice_next(&b->choice, next)) {
		if (i >= row)
			row = pb_bulk_run_limit(b, i);
		if (!pb_bulk_run_begin(b, &run, i))
			break;
		next = arm_run(module, &run, i, row);
		if (next == i)
			break;
	}
	return i;
}

/* Functions before @end get back what they had. */
static void disarm_functions(struct pb_bulk_module *b, size_t end)
{
	const struct pb_module *module = b->module;

	for (size_t i = pb_choice_next(&b->choice, 0); i < end;
	     i = pb_choice_next(&b->choice, i + 1)) {
		const struct patchbay_record *record = &module->records[i];

		pb_bulk_flip((uint8_t *)pb_record_site(record), 0);
		pb_bulk_slot((uint8_t *)(pb_record_entry(record) - PB_BULK_BEFORE),
			     b->slot_of[pb_owner(module, i)], 0);
	}
}

/*
 * Module by module; all stay writable until the last one is done, so that all can be
 * taken back. The module that is in the way remembers it: what is taken back may have to
 * settle before the batch can begin anew, and it must not come here again then.
 */
static int arm_modules(struct pb_bulk_module *b, int handle)
{
	int error = PB_BULK_IN_STEPS, ended;
	size_t armed;

	while (b && !b->nr)
		b = b->next;
	if (!b)
		return 0;
	b->module->in_steps = 1;
	if (pb_bulk_stores_begin(b, handle))
		return PB_BULK_IN_STEPS;
	armed = arm_functions(b);
	if (armed == b->module->nr) {
		b->module->in_steps = 0;
		error = arm_modules(b->next, handle);
	}
	if (error == PB_BULK_IN_STEPS)
		disarm_functions(b, armed);
	ended = pb_stores_end(&b->stores, handle);
	return error ? error : ended;
}

int pb_bulk_arm_at_once(struct pb_bulk *bulk)
{
	return bulk->handle < 0 ? bulk->handle :
				  arm_modules(bulk->modules, bulk->handle);
}
