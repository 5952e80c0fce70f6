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

/// Where else than at the paths of the files that were traced their names may be.
struct NameSources {
  std::string Recording; // its directory, which may have what `archive` put there
  std::string Symfs;     // a directory in which those paths are; empty: the root
};

class TracedNames {
public:
  NameSources Sources;

  /// The name of the function at Entry; its address if the file is not there or
  /// is another one, which is warned of once.
  std::string function(const DataModule &M, uint64_t Entry);
  /// The same without what tells it from others of that name in this build: see
  /// commonName().
  std::string common(const DataModule &M, uint64_t Entry);
  /// Whether a symbol of it is meant by one of the globs: see NameFilter.
  bool isNamedBy(const DataModule &M, uint64_t Entry,
                 llvm::ArrayRef<std::string> Globs);
  /// The function that Address is in, "name+0x10"; empty if there is none.
  std::string around(const DataModule &M, uint64_t Address);

  /// All names of the module's functions; those that were recorded if they are nowhere
  /// else; none if there are none of these, which is warned of.
  const SymbolNames &symbols(const DataModule &M);
  /// Whether these are nowhere but in the recording.
  bool areOnlyRecorded(const DataModule &M);

private:
  struct File {
    std::optional<ElfImage> Image; // what the names point into: it,
    std::string Archived;          // or this
    SymbolNames Symbols;
    std::string Missing; // why there are none
    bool Warned = false; // of that
  };
  llvm::Error find(const DataModule &M, File &To) const;
  File &fileOf(const DataModule &M);

  /// By moduleKey(). A path alone may name several files, one after the other: their
  /// recorded names tell these apart.
  std::map<std::pair<std::string, const RecordedNames *>, File> Files;
  std::map<const RecordedNames *, SymbolNames> Recorded; // those that were needed
};

} // namespace patchbay

#endif
