/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that have a tracer, and whose sites something else has changed since: a
 * uprobe that ends puts the byte of the file there, a debugger its breakpoint.
 */
#ifndef PB_CORE_CHANGED_SITE_H
#define PB_CORE_CHANGED_SITE_H

#include "types/module.h"

#include <patchbay/patchbay.h>

typedef void (*pb_changed_visit)(const struct patchbay_site_info *site, void *arg);

/*
 * Call @visit for each such function of @module. Returns how many of them can be armed
 * again: their sites have the compiler's bytes, and their slots lead to their tracers.
 * The caller has the modules lock.
 */
size_t pb_changed_sites(const struct pb_module *module, pb_changed_visit visit, void *arg);

/*
 * Arm those again, at most @nr, in all modules. Returns how many, or a negative errno:
 * some may be armed. The caller has the modules lock.
 */
int pb_changed_rearm(size_t nr);

/* Tell the function of pb_private_on_changed() of those of @module, which is leaving. */
void pb_changed_tell(const struct pb_module *module);

#endif /* PB_CORE_CHANGED_SITE_H */
