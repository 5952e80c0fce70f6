/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that have a tracer, and whose sites other code has changed: a uprobe that ends
 * restores the byte of the file, and a debugger stores its breakpoint.
 */
#ifndef PB_CORE_CHANGED_SITE_H
#define PB_CORE_CHANGED_SITE_H

#include "types/module.h"

#include <patchbay/patchbay.h>

typedef void (*pb_changed_visit)(const struct patchbay_site_info *site, void *arg);

/*
 * Call @visit for each such function of @module. Returns the number of functions that can
 * be armed again: their sites have the compiler's bytes, and their slots lead to their
 * tracers. The caller holds the modules lock.
 */
size_t pb_changed_sites(const struct pb_module *module, pb_changed_visit visit, void *arg);

/*
 * Arm at most @nr such functions again, in all modules. Returns their number, or a
 * negative errno: then some may be armed. The caller holds the modules lock.
 */
int pb_changed_rearm(size_t nr);

/* Call the callback of pb_private_on_changed() for such functions of @module, which is leaving. */
void pb_changed_tell(const struct pb_module *module);

/* Fill in @site for @record of @module. */
void pb_inspect_site(const struct pb_module *module,
		     const struct patchbay_record *record,
		     struct patchbay_site_info *site);

#endif /* PB_CORE_CHANGED_SITE_H */
