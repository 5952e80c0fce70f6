/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules that the library does not trace, and lists on request: struct pb_other. */
#ifndef PB_CORE_OTHER_MODULES_H
#define PB_CORE_OTHER_MODULES_H

#include "types/module.h"

/*
 * Add the module that contains @desc, whose file is @path. Takes the modules lock. If
 * memory is lacking, the module stays unknown.
 */
void pb_other_add(const struct patchbay_module *desc, const char *path,
		  size_t path_size);

/* Under the modules lock: the module's destructor has reported its unload. */
void pb_other_forget(const struct patchbay_module *desc);

/*
 * Is the module still loaded? A module that was loaded before the library may not report
 * its unload: its destructor has no library to call, or has another version. So this asks
 * the loader, without a lock; callers may be in any context. If the system cannot tell, the
 * module counts as loaded until it reports its unload.
 */
int pb_other_is_loaded(const struct pb_other *other);

/* Remove all modules that are no longer loaded. Takes the modules lock. */
void pb_others_forget_unloaded(void);

#endif /* PB_CORE_OTHER_MODULES_H */
