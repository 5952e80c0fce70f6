/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/changed_site.h"

#include "cells/cell.h"
#include "cells/site.h"
#include "modules/other_modules.h"
#include "system/attr.h"
#include "system/lock.h"
#include "system/stats.h"
#include "types/set.h"

#include <errno.h>
#include <string.h>

void pb_inspect_site(const struct pb_module *module,
		     const struct patchbay_record *record,
		     struct patchbay_site_info *site)
{
	const struct patchbay_cell *cell = pb_cell_of(module, record);

	*site = (struct patchbay_site_info){
		.module = &module->info,
		.record = record,
		.entry = pb_record_entry(record),
		.state = pb_site_shown(module, record),
		.site = pb_record_site(record),
	};
	if (site->state == PATCHBAY_SITE_ARMED && cell && cell->ops)
		site->cells = pb_set_cells(cell, &site->nr_cells);
}

static void add_module(const struct pb_module *module,
		       struct patchbay_stats *stats)
{
	stats->modules++;
	stats->sites += module->nr;
	stats->unnamed += (uint64_t)__atomic_load_n(&module->unnamed, __ATOMIC_RELAXED);
	pb_cells_weigh(module, &stats->armed, &stats->memory);
}

int patchbay_get_stats(struct patchbay_stats *stats)
{
	struct patchbay_stats now = { 0 };

	pb_engine_lock();
	for (const struct pb_module *m = pb_modules; m; m = m->next)
		add_module(m, &now);
	for (const struct pb_other *o = pb_others; o; o = o->next)
		now.others += (uint64_t)pb_other_is_loaded(o);
	now.batches = pb_stats.batches;
	now.membarriers = pb_stats.membarriers;
	now.text_writes = pb_stats.text_writes;
	memcpy(now.refused, pb_stats.refused, sizeof(now.refused));
	now.left = pb_stats.left;
	now.timeouts = pb_stats.timeouts;
	now.waited_for = pb_stats.waited_for;
	now.unseen = pb_stats.unseen;
	pb_engine_unlock();
	return pb_write_info(stats, &now, sizeof(now), PATCHBAY_STATS_SIZE_VER0);
}
