/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules that we leave alone, and name to whoever asks: struct pb_other. */
#ifndef PB_CORE_OTHER_H
#define PB_CORE_OTHER_H

#include "module.h"

/*
 * Let others know of the module that @desc is in, whose file is @path. Takes the
 * modules lock. Out of memory it stays unknown.
 */
void pb_other_add(const struct patchbay_module *desc, const char *path,
		  size_t path_size);

/* Under the modules lock: the module leaves, and has told us so. */
void pb_other_forget(const struct patchbay_module *desc);

/*
 * Is the module still loaded? One that a late runtime found does not tell us when it
 * goes: its destructor knows nobody, or is of another version. So the loader is asked,
 * in a way that takes no lock and may be used everywhere. Where the system has none, it
 * is there until it says so.
 */
int pb_other_is_loaded(const struct pb_other *other);

/* Forget all that are not. Takes the modules lock. */
void pb_others_forget_unloaded(void);

#endif /* PB_CORE_OTHER_H */
