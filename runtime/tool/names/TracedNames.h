// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for functions in a recording, from the files that were traced, wherever
// their debug information is.
#ifndef PATCHBAY_TOOL_TRACEDNAMES_H
#define PATCHBAY_TOOL_TRACEDNAMES_H

#include "elf/ElfImage.h"
#include "reading/DataFile.h"

namespace patchbay {

/// What identifies a module: a build id names the content whatever the path is.
std::string moduleKey(const DataModule &M);

class TracedNames {
public:
  /// The name of the function at Entry; its address if the file is not there or
  /// is another one, which is warned of once.
  std::string function(const DataModule &M, uint64_t Entry);
  /// The same without what tells it from others of that name in this build: see
  /// commonName().
  std::string common(const DataModule &M, uint64_t Entry);
  /// The function that Address is in, "name+0x10"; empty if there is none.
  std::string around(const DataModule &M, uint64_t Address);

private:
  struct File {
    std::optional<ElfImage> Image;
    SymbolNames Symbols;
  };
  const SymbolNames &symbols(const DataModule &M);

  std::map<std::string, File> Files;
};

} // namespace patchbay

#endif
