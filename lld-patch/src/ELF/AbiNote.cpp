// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that all object files of a link have the same Patchbay ABI version.
// The bytes of slots, sites and records do not show the version, so the pass
// writes a note with the version into each object file.
//
// No option turns the check off, because a program that mixes versions cannot
// work. The check skips files without a note.
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "PatchbayNotes.h"
#include "Target.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace lld;
using namespace lld::elf;

void elf::checkAbiVersions(Ctx &ctx) {
  const InputFile *firstFile = nullptr;
  uint32_t first = 0;
  for (const InputSectionBase *sec : findNotes(ctx, PATCHBAY_NOTE_SECTION)) {
    bool reported = false;
    auto check = [&](ArrayRef<uint8_t> desc) {
      uint32_t version =
          read32(ctx, desc.data() + offsetof(patchbay_note, abi_version));
      if (!firstFile) {
        firstFile = sec->file;
        first = version;
        if (version != PATCHBAY_ABI_VERSION)
          Err(ctx) << sec->file << ": Patchbay ABI version " << version
                   << " is unknown, this linker has version "
                   << PATCHBAY_ABI_VERSION
                   << "; compile the file with the pass plugin of this release";
      } else if (version != first && !reported) {
        reported = true;
        Err(ctx) << sec->file << ": Patchbay ABI version " << version
                 << " is incompatible with version " << first << " of "
                 << firstFile << "; compile both with the same pass plugin";
      }
    };
    if (!forEachNote(ctx, sec, PATCHBAY_NOTE_ABI, sizeof(patchbay_note), check))
      Err(ctx) << sec->getObjMsg(0) << ": malformed Patchbay ABI note";
  }
}
