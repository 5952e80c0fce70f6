/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at sites without changing them. Under the change lock. */
#ifndef PB_CORE_INSPECT_H
#define PB_CORE_INSPECT_H

#include "types/module.h"

/* Fill in @site for @record of @module. */
void pb_inspect_site(const struct pb_module *module,
		     const struct patchbay_record *record,
		     struct patchbay_site_info *site);

#endif /* PB_CORE_INSPECT_H */
