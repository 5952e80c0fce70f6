/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of sites that programs see, and *changed* functions: functions with a tracer, whose
 * site other code has changed. For example, a uprobe that is removed restores the byte of the
 * file, and a debugger stores a breakpoint.
 */
#pragma once

#include "types/module.h"

#include <patchbay/patchbay.h>

typedef void (*pb_changed_visit)(const struct patchbay_site_info *site, void *arg);

/*
 * Call @visit for each changed function of @module. Returns the number of these that can be
 * armed again: their sites have the compiler's bytes, and their slots point to their tracers.
 * The caller holds the modules lock.
 */
size_t pb_changed_sites(const struct pb_module *module, pb_changed_visit visit, void *arg);

/*
 * Arm at most @nr changed functions again, in all modules. Returns the number of functions that
 * were armed. After an error, some may have been armed. The caller holds the modules lock.
 */
int pb_changed_rearm(size_t nr);

/* @module is being unloaded: call the callback of pb_private_on_changed() for its functions. */
void pb_changed_tell(const struct pb_module *module);

void pb_inspect_site(const struct pb_module *module,
		     const struct patchbay_record *record,
		     struct patchbay_site_info *site);
