/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room modules/: the registry of loaded modules. Constructors and destructors of modules
 * change it under the modules lock, and wait for no other lock (system/lock.h has the reason).
 * After a module is unloaded, its struct pb_module stays until no caller uses it and no
 * thread is in one of its handlers. Its records and its text are unmapped at once.
 *
 * This header: from a module's loaded note (abi.h) to its descriptor.
 */
#ifndef PB_CORE_MODULE_NOTE_H
#define PB_CORE_MODULE_NOTE_H

#include <patchbay/abi.h>

#include <link.h>

/*
 * Returns the descriptor that a note in @segment points to; @info describes the module. All
 * fields that are read before registration are within the module. If the descriptor has
 * another ABI version, only its version may be read. Returns NULL if @segment has no such
 * note, if the descriptor is not wholly in the module, or if its version is not the note's.
 */
const struct patchbay_module *pb_module_noted(const struct dl_phdr_info *info,
					      const ElfW(Phdr) *segment);

#endif /* PB_CORE_MODULE_NOTE_H */
