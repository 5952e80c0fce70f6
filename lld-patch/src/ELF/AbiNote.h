// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PATCHBAY_LLD_ELF_ABI_NOTE_H
#define PATCHBAY_LLD_ELF_ABI_NOTE_H

#include "Config.h"

namespace lld::elf {
// Report object files whose Patchbay ABI is not this linker's, or not the same.
void checkPatchbayNotes(Ctx &);
} // namespace lld::elf

#endif
