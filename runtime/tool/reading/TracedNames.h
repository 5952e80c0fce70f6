// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for functions in a recording, from the traced files and their debug information.
#pragma once

#include "DataFile.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Identifies a module. A build id identifies the content, whatever the path
/// is.
std::string moduleKey(const DataModule &M);

/// Places to search for names of traced files, in addition to their paths.
struct NameSources {
  std::string Recording; // directory of the recording; `archive` may have put
                         // names there
  std::string Symfs;     // directory below which the files' paths are; empty:
                         // the root
};

/// Opens the file of a traced module. Fails if the file is missing, or has another
/// build id.
llvm::Expected<ElfImage> openTraced(llvm::StringRef Path, llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

class TracedNames {
public:
  NameSources Sources;

  /// The name of the function at Entry. If the file is missing or has changed,
  /// its address, and one warning.
  std::string function(const DataModule &M, uint64_t Entry);
  /// The same without the suffix that is special to this build: see commonName().
  std::string common(const DataModule &M, uint64_t Entry);
  /// Does a glob match one of the function's symbols? See NameFilter.
  bool isNamedBy(const DataModule &M, uint64_t Entry,
                 llvm::ArrayRef<std::string> Globs);
  /// The function that contains Address, as "name+0x10"; empty if there is
  /// none.
  std::string around(const DataModule &M, uint64_t Address);

  /// All names of the module's functions: those of its file or, without one,
  /// the recorded ones. Empty, with a warning, if there are neither.
  const SymbolNames &symbols(const DataModule &M);
  /// Are these names known only from the recording?
  bool areOnlyRecorded(const DataModule &M);

private:
  struct File {
    std::optional<ElfImage> Image; // the names point into this
    std::string Archived;          // the names point into Image, or into this
    SymbolNames Symbols;
    std::string Missing; // why there are no names
    bool Warned = false; // was a warning about that printed?
  };
  llvm::Error find(const DataModule &M, File &To) const;
  File &fileOf(const DataModule &M);

  /// By moduleKey() and recorded names: a path without a build id may have
  /// named several files, whose recorded names differ.
  std::map<std::pair<std::string, const RecordedNames *>, File> Files;
  std::map<const RecordedNames *, SymbolNames> Recorded; // created on demand
};

} // namespace patchbay
