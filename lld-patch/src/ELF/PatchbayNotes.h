// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the notes that the pass writes into object files for the linker
// (patchbay/abi.h).

#ifndef PATCHBAY_LLD_ELF_PATCHBAY_NOTES_H
#define PATCHBAY_LLD_ELF_PATCHBAY_NOTES_H

#include "InputSection.h"

namespace lld::elf {
struct Ctx;

// The note sections with the given name, in the order of the files in the link.
std::vector<const InputSectionBase *> findNotes(Ctx &, StringRef sectionName);

// Pass the descriptor of each note of `type` in one section to `fn`. An object
// file made by -r has the notes of all its inputs. Return false if the section
// is malformed, for example if a descriptor has less than `minSize` bytes.
bool forEachNote(Ctx &, const InputSectionBase *, uint32_t type, size_t minSize,
                 llvm::function_ref<void(ArrayRef<uint8_t>)> fn);

// Report object files whose Patchbay ABI differs from the linker's or each
// other's.
void checkAbiVersions(Ctx &);

// Report code that was generated without the plugin although bitcode or other
// object files were compiled with the plugin.
void checkGeneratedCode(Ctx &);

void checkPatchbayNotes(Ctx &);
} // namespace lld::elf

#endif
