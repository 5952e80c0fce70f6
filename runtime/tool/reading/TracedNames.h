// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the names of recorded functions in the traced files and their debug information.
#pragma once

#include "DataFile.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Identifies a module by its build id, or by its path if it has no build id.
std::string moduleKey(const DataModule &M);

/// Directories to search for the names of traced files.
struct NameSources {
  std::string Recording; // directory of the recording; `archive` may have saved
                         // names there
  std::string Symfs;     // root directory for the files' paths; empty: "/"
};

/// Opens the file of a traced module. Fails if the file is missing, or has another
/// build id.
llvm::Expected<ElfImage> openTraced(llvm::StringRef Path, llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

class TracedNames {
public:
  NameSources Sources;

  /// The name of the function at Entry. If the file is missing or has changed, returns the
  /// address, and prints one warning.
  std::string function(const DataModule &M, uint64_t Entry);
  /// Like function(), without a suffix that differs between builds: see commonName().
  std::string common(const DataModule &M, uint64_t Entry);
  /// Does a glob match one of the function's symbols? See NameFilter.
  bool isNamedBy(const DataModule &M, uint64_t Entry,
                 llvm::ArrayRef<std::string> Globs);
  /// The function that contains Address, as "name+0x10"; empty if no function does.
  std::string around(const DataModule &M, uint64_t Address);

  /// All names of the module's functions: from its file or, if the file is missing, from
  /// the recording. Empty, with a warning, if the recording has no names either.
  const SymbolNames &symbols(const DataModule &M);
  /// Are the module's names known only from the recording?
  bool areOnlyRecorded(const DataModule &M);

private:
  struct File {
    std::optional<ElfImage> Image;
    std::string Archived; // names saved by `archive`
    SymbolNames Symbols;  // point into Image or Archived
    std::string Missing;  // reason for missing names
    bool Warned = false;  // was a warning about missing names printed?
  };
  llvm::Error find(const DataModule &M, File &To) const;
  File &fileOf(const DataModule &M);

  /// By moduleKey() and recorded names. Without a build id, the path may have named
  /// several files, whose recorded names differ.
  std::map<std::pair<std::string, const RecordedNames *>, File> Files;
  std::map<const RecordedNames *, SymbolNames> Recorded; // created on demand
};

} // namespace patchbay
