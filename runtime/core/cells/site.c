/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cells/site.h"

#include "cells/cell.h"
#include "names/names.h"
#include "system/stats.h"
#include "types/set.h"

#include <errno.h>

struct pb_site pb_site_of(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	return (struct pb_site){ .entry = pb_record_entry(record),
				 .site = pb_record_site(record),
				 .record = record,
				 .reach = pb_arch_reach(module, record) };
}

/* Is @addr in the module's text, with space for a prefix before it and a site after it? */
static int in_text(const struct pb_module *module, uintptr_t addr)
{
	return addr >= module->low + PATCHBAY_PREFIX_SIZE &&
	       addr < module->high && module->high - addr >= pb_arch_site_size;
}

int pb_site_state_of(const struct pb_module *module, const struct pb_site *site)
{
	if (!in_text(module, site->entry) || !in_text(module, site->site) ||
	    pb_names_is_moved(module, site->record))
		return -EFAULT;
	return pb_arch_site_state(site);
}

int pb_site_state(const struct pb_module *module,
		  const struct patchbay_record *record)
{
	const struct pb_site site = pb_site_of(module, record);

	return pb_site_state_of(module, &site);
}

enum patchbay_site_state pb_site_shown(const struct pb_module *module,
				       const struct patchbay_record *record)
{
	const struct patchbay_cell *cell = pb_cell_of(module, record);

	switch (pb_site_state(module, record)) {
	case PB_SITE_DISARMED:
		return cell && cell->ops && cell->set != &pb_set_nobody ?
			       PATCHBAY_SITE_CHANGED :
			       PATCHBAY_SITE_DISARMED;
	case PB_SITE_ARMED:
		return pb_is_led(module, record) > 0 ? PATCHBAY_SITE_ARMED :
						       PATCHBAY_SITE_FOREIGN;
	case -EFAULT:
		return PATCHBAY_SITE_OUTSIDE;
	case -ENOEXEC:
		return PATCHBAY_SITE_NO_SLOT;
	default:
		return PATCHBAY_SITE_UNKNOWN;
	}
}

void pb_count_refused(const struct pb_module *module,
		      const struct patchbay_record *record)
{
	pb_count(&pb_stats.refused[pb_site_shown(module, record)]);
}
