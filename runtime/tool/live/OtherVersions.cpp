// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OtherVersions.h"
#include "elf/ElfImage.h"

using namespace llvm;
using namespace patchbay;

static std::optional<uint32_t> versionOf(int File, StringRef Path) {
  auto Image = ElfImage::read(File, Path);
  if (!Image) {
    consumeError(Image.takeError());
    return std::nullopt;
  }
  return expectedToOptional(Image->abiVersion());
}

std::vector<OtherModule>
patchbay::otherVersionsMapped(const ProcessMemory &Memory) {
  std::vector<OtherModule> Others;
  for (const ProcessMemory::Mapping *M : Memory.codeOfFiles()) {
    const Descriptor File = Memory.openFile(*M);
    if (File < 0)
      continue;
    if (auto Version = versionOf(File, M->Path);
        Version && *Version != PATCHBAY_ABI_VERSION)
      Others.push_back({M->Path, *Version});
  }
  return Others;
}
