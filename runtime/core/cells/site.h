/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site of a function: is it valid, and is it armed? */
#ifndef PB_CORE_SITE_H
#define PB_CORE_SITE_H

#include "arch/arch.h"
#include "types/module.h"

/*
 * The site of a record; and its state, as pb_arch_site_state() returns it, after a check of
 * the record: -EFAULT if the record leads out of the module's text.
 */
struct pb_site pb_site_of(const struct pb_module *module,
			  const struct patchbay_record *record);
int pb_site_state_of(const struct pb_module *module, const struct pb_site *site);
int pb_site_state(const struct pb_module *module,
		  const struct patchbay_record *record);

/* The state that programs see. Under the change lock. */
enum patchbay_site_state pb_site_shown(const struct pb_module *module,
				       const struct patchbay_record *record);

/* Count a site that cannot be armed, by the reason. */
void pb_count_refused(const struct pb_module *module,
		      const struct patchbay_record *record);

#endif /* PB_CORE_SITE_H */
