/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room modules/: the registry of loaded modules. Constructors and destructors of modules
 * change it under the modules lock, and wait for no other lock (system/lock.h has the reason).
 * After a module is unloaded, its struct pb_module stays until no caller has it in hand and
 * no thread is in one of its handlers. Its records and its text go with the module.
 *
 * From a module's loaded note (abi.h) to its descriptor.
 */
#ifndef PB_CORE_MODULE_NOTE_H
#define PB_CORE_MODULE_NOTE_H

#include <patchbay/abi.h>

#include <link.h>

/*
 * The descriptor that a note in @segment of the module of @info leads to, with all that
 * is looked at before it is registered; of another version of the ABI nothing but that
 * is looked at. NULL: @segment has no such note, or a damaged one: not all of that is in
 * the module, or it is not of the version that the note says.
 */
const struct patchbay_module *pb_module_noted(const struct dl_phdr_info *info,
					      const ElfW(Phdr) *segment);

#endif /* PB_CORE_MODULE_NOTE_H */
