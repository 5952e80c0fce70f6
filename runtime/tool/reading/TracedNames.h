// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for functions in a recording, from the traced files and their debug information.
#pragma once

#include "DataFile.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Identifies a module. A build id identifies the content, under any path.
std::string moduleKey(const DataModule &M);

/// Further places with names of traced files, besides their paths.
struct NameSources {
  std::string Recording; // its directory, in which `archive` may have put names
  std::string Symfs;     // a directory with those paths below it; empty: the
                         // root
};

/// Opens the file of a traced module. Fails if it is gone, or has another build id.
llvm::Expected<ElfImage> openTraced(llvm::StringRef Path, llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

class TracedNames {
public:
  NameSources Sources;

  /// The name of the function at Entry. Its address if the file is missing or
  /// has changed, with one warning.
  std::string function(const DataModule &M, uint64_t Entry);
  /// The same without the suffix that distinguishes it in this build: see commonName().
  std::string common(const DataModule &M, uint64_t Entry);
  /// Does one of the globs match one of its symbols? See NameFilter.
  bool isNamedBy(const DataModule &M, uint64_t Entry,
                 llvm::ArrayRef<std::string> Globs);
  /// The function that contains Address, "name+0x10"; empty if none.
  std::string around(const DataModule &M, uint64_t Address);

  /// All names of the module's functions. The recorded ones if no file has
  /// them. None if there are none at all, with a warning.
  const SymbolNames &symbols(const DataModule &M);
  /// Does only the recording have these names?
  bool areOnlyRecorded(const DataModule &M);

private:
  struct File {
    std::optional<ElfImage> Image; // the names point into this
    std::string Archived;          // or into this
    SymbolNames Symbols;
    std::string Missing; // why there are no names
    bool Warned = false; // about that
  };
  llvm::Error find(const DataModule &M, File &To) const;
  File &fileOf(const DataModule &M);

  /// By moduleKey(). A path alone may name several consecutive files. Their
  /// recorded names tell them apart.
  std::map<std::pair<std::string, const RecordedNames *>, File> Files;
  std::map<const RecordedNames *, SymbolNames> Recorded; // created on demand
};

} // namespace patchbay
