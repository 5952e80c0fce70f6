// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots, sites and records have no other contract than abi.h, and nothing in
// an instrumented function tells one version of it from another. Every object
// file that the pass writes therefore carries a note with the version, and this
// is the one place where all object files of a program come together.
//
// The check has no option: a file without the note is not looked at any
// further, and a program that mixes versions cannot work. It reads, so it never
// changes the output.
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
