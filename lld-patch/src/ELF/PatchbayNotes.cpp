// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PatchbayNotes.h"
#include "InputFiles.h"
#include "Target.h"
#include "patchbay/abi.h"
#include "llvm/Support/Parallel.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

std::vector<const InputSectionBase *> elf::findNotes(Ctx &ctx, StringRef name) {
  // One element per object file, so that the order of messages does not depend
  // on the order in which threads finish.
  std::vector<SmallVector<const InputSectionBase *, 1>> found(
      ctx.objectFiles.size());
  parallelFor(0, found.size(), [&](size_t i) {
    for (const InputSectionBase *sec : ctx.objectFiles[i]->getSections())
      if (sec && sec->type == SHT_NOTE && sec->name == name)
        found[i].push_back(sec);
  });
  std::vector<const InputSectionBase *> notes;
  for (const auto &ofFile : found)
    notes.insert(notes.end(), ofFile.begin(), ofFile.end());
  return notes;
}

bool elf::forEachNote(Ctx &ctx, const InputSectionBase *sec, uint32_t wanted,
                      size_t minSize,
                      function_ref<void(ArrayRef<uint8_t>)> fn) {
  const StringRef owner(PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME));
  ArrayRef<uint8_t> data = sec->content();
  while (!data.empty()) {
    // A note: namesz, descsz, type, padded name, padded descriptor.
    if (data.size() < 12)
      return false;
    uint64_t nameSize = read32(ctx, data.data());
    uint64_t descSize = read32(ctx, data.data() + 4);
    uint32_t type = read32(ctx, data.data() + 8);
    uint64_t descOff = 12 + alignTo(nameSize, 4);
    uint64_t end = descOff + alignTo(descSize, 4);
    if (data.size() < end)
      return false;
    if (toStringRef(data.slice(12, nameSize)) == owner && type == wanted) {
      if (descSize < minSize)
        return false;
      fn(data.slice(descOff, descSize));
    }
    data = data.slice(end);
  }
  return true;
}

void elf::checkPatchbayNotes(Ctx &ctx) {
  checkAbiVersions(ctx);
  checkGeneratedCode(ctx);
}
