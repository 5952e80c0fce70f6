/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer modules/: the registry of loaded modules. Constructors and destructors of modules
 * change the registry under the modules lock, and wait for no other lock (system/lock.h has the
 * reason). After a module is unloaded, its struct pb_module stays until no caller uses it and
 * no thread is in one of its handlers. Its records and its text are unmapped immediately.
 *
 * This header: finds a module's descriptor by its loaded note (abi.h), and keeps a list of
 * modules that the library reports on request, but does not trace (struct pb_other).
 */
#pragma once

#include "types/module.h"

#include <link.h>

/*
 * Returns the descriptor that a note in @segment points to; @info describes the module. All
 * fields that are read before registration are within the module. If the descriptor has
 * another ABI version, only its version may be read. Returns NULL if @segment has no such
 * note, if the descriptor is not wholly in the module, or if its version is not the note's.
 */
const struct patchbay_module *pb_module_noted(const struct dl_phdr_info *info,
					      const ElfW(Phdr) *segment);

/* Are @desc and the fields that it points to, except the records, in the module of @info? */
int pb_module_is_whole(const struct dl_phdr_info *info, const struct patchbay_module *desc);

/*
 * Add the module that contains @desc, whose file is @path. Takes the modules lock. If out of
 * memory, the module stays unknown.
 */
void pb_other_add(const struct patchbay_module *desc, const char *path,
		  size_t path_size);

/* Under the modules lock: forget the module, whose destructor has reported its unload. */
void pb_other_forget(const struct patchbay_module *desc);

/*
 * Is the module still loaded? A module that was loaded before the library may not report its
 * unload, because its destructor has no library to call, or a library of another version. So
 * this function asks the loader, without a lock, and works in any context. If the loader cannot
 * tell, the module counts as loaded until it reports its unload.
 */
int pb_other_is_loaded(const struct pb_other *other);

/* Remove all modules that are no longer loaded. Takes the modules lock. */
void pb_others_forget_unloaded(void);
