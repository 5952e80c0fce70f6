// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for addresses in a running process, from the files that are mapped.
#ifndef PATCHBAY_TOOL_LIVENAMES_H
#define PATCHBAY_TOOL_LIVENAMES_H

#include "ProcessMemory.h"
#include "names/FunctionNames.h"
#include "llvm/ADT/StringMap.h"

namespace patchbay {

class LiveNames {
public:
  /// Refers to Memory, which has to outlive it.
  explicit LiveNames(const ProcessMemory &Memory) : Memory(Memory) {}

  /// The names of the function at Entry; none if its file is not to be had.
  std::vector<llvm::StringRef> functionAt(uint64_t Entry);
  /// The one to show, as people read it; the address if there is none.
  std::string nameOf(uint64_t Entry);
  /// Whether llvm-bolt moved the function that was at Entry.
  bool isMoved(uint64_t Entry);
  /// The file that Address is in, without its folders; "?" if there is none.
  std::string fileAt(uint64_t Address) const;
  /// "function (file)", "function+0x10 (file)", or "0x1234 (file)".
  std::string describe(uint64_t Address);
  /// A file without a symbol table that names were looked for in; empty if
  /// there is none.
  const std::string &stripped() const { return Stripped; }

private:
  struct File {
    std::unique_ptr<ElfImage> Image;
    FunctionNames Names;
    bool HasMoved = false; // functions, by llvm-bolt
  };
  const File *file(const ProcessMemory::Mapping &M);
  /// Sets Address to what it is in the file.
  const File *locate(uint64_t &Address);

  const ProcessMemory &Memory;
  llvm::StringMap<File> Files;
  std::string Stripped;
};

} // namespace patchbay

#endif
