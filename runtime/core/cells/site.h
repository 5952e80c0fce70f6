/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a function's site: valid or not, armed or not. */
#pragma once

#include "arch/arch.h"
#include "types/module.h"

/*
 * pb_site_of() returns the site of a record. pb_site_state_of() and pb_site_state() return the
 * state of a site, as pb_arch_site_state() does, or -EFAULT if the record points to an address
 * outside the module's text, or to the old code of a function that was moved.
 */
struct pb_site pb_site_of(const struct pb_module *module,
			  const struct patchbay_record *record);
int pb_site_state_of(const struct pb_module *module, const struct pb_site *site);
int pb_site_state(const struct pb_module *module,
		  const struct patchbay_record *record);

/* The state of a site as programs see it (inspect.h). Under the change lock. */
enum patchbay_site_state pb_site_shown(const struct pb_module *module,
				       const struct patchbay_record *record);

/* Count a function that cannot be armed, by the state of its site. */
void pb_count_refused(const struct pb_module *module,
		      const struct patchbay_record *record);
