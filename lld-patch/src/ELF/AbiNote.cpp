// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots, sites and records have no other contract than abi.h, and nothing in
// an instrumented function tells one version of it from another. Every object
// file that the pass writes therefore carries a note with the version, and this
// is the one place where all object files of a program come together.
//
// The check has no option: a file without the note is not looked at any
// further, and a program that mixes versions cannot work. It reads, so it never
// changes the output. The sections' types are scanned in parallel, which costs
// less than the millisecond in which it could be measured.
//===----------------------------------------------------------------------===//

#include "AbiNote.h"
#include "InputFiles.h"
#include "InputSection.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Parallel.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

// Pass the versions in one note section to `fn`: an object file made by -r has
// the notes of all its inputs. Return false if the section is malformed.
static bool forEachVersion(Ctx &ctx, ArrayRef<uint8_t> data,
                           function_ref<void(uint32_t)> fn) {
  const StringRef owner(PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME));
  while (!data.empty()) {
    // namesz, descsz and type, then name and descriptor, each padded.
    if (data.size() < 12)
      return false;
    uint64_t nameSize = read32(ctx, data.data());
    uint64_t descSize = read32(ctx, data.data() + 4);
    uint32_t type = read32(ctx, data.data() + 8);
    uint64_t descOff = 12 + alignTo(nameSize, 4);
    uint64_t end = descOff + alignTo(descSize, 4);
    if (data.size() < end)
      return false;
    if (toStringRef(data.slice(12, nameSize)) == owner &&
        type == PATCHBAY_NOTE_ABI) {
      if (descSize < sizeof(patchbay_note))
        return false;
      fn(read32(ctx,
                data.data() + descOff + offsetof(patchbay_note, abi_version)));
    }
    data = data.slice(end);
  }
  return true;
}

void elf::checkPatchbayNotes(Ctx &ctx) {
  // One element per object file, so that the order of messages does not depend
  // on the order in which threads finish.
  std::vector<SmallVector<const InputSectionBase *, 1>> notes(
      ctx.objectFiles.size());
  parallelFor(0, notes.size(), [&](size_t i) {
    for (const InputSectionBase *sec : ctx.objectFiles[i]->getSections())
      if (sec && sec->type == SHT_NOTE && sec->name == PATCHBAY_NOTE_SECTION)
        notes[i].push_back(sec);
  });

  const InputFile *firstFile = nullptr;
  uint32_t first = 0;
  auto check = [&](const InputSectionBase *sec) {
    bool reported = false;
    bool valid = forEachVersion(ctx, sec->content(), [&](uint32_t version) {
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
    });
    if (!valid)
      Err(ctx) << sec->getObjMsg(0) << ": malformed Patchbay ABI note";
  };
  for (const auto &ofFile : notes)
    for (const InputSectionBase *sec : ofFile)
      check(sec);
}
