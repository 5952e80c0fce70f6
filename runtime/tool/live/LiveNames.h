// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for addresses in a running process, from its mapped files.
#pragma once

#include "ProcessMemory.h"
#include "names/FunctionNames.h"
#include "llvm/ADT/StringMap.h"

namespace patchbay {

class LiveNames {
public:
  /// Keeps a reference: Memory must outlive this object.
  explicit LiveNames(const ProcessMemory &Memory) : Memory(Memory) {}

  /// The names of the function at Entry; empty if its file is not available.
  std::vector<llvm::StringRef> functionAt(uint64_t Entry);
  /// The preferred readable name of the function, or its address without a
  /// name.
  std::string nameOf(uint64_t Entry);
  /// Did llvm-bolt move the function that was at Entry?
  bool isMoved(uint64_t Entry);
  /// The name of the file that is mapped at Address, without folders; "?"
  /// without a file.
  std::string fileAt(uint64_t Address) const;
  /// "function (file)", "function+0x10 (file)", or "0x1234 (file)".
  std::string describe(uint64_t Address);
  /// A searched file without a symbol table; empty if all files have one.
  const std::string &stripped() const { return Stripped; }

private:
  struct File {
    std::unique_ptr<ElfImage> Image;
    FunctionNames Names;
    bool HasMoved = false; // has llvm-bolt moved functions?
  };
  const File *file(const ProcessMemory::Mapping &M);
  /// Converts Address to an address in the file.
  const File *locate(uint64_t &Address);

  const ProcessMemory &Memory;
  llvm::StringMap<File> Files;
  std::string Stripped;
};

} // namespace patchbay
