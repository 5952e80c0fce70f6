// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores names of functions in the recording, so that it can be read on
// machines without the program. There is one compressed file per module.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// The file with a module's names in the recording Dir. Key: see moduleKey().
std::string nameArchivePath(llvm::StringRef Dir, llvm::StringRef Key);
/// Could a file of this name in a recording be a name archive?
bool isNameArchive(llvm::StringRef Name);
/// Does this open file contain names?
bool hasNames(int File);
/// Writes the names. Replaces an existing file atomically.
llvm::Error writeNames(const std::string &Path, llvm::StringRef Key,
                       const SymbolNames &Names);
/// Reads the names, which point into Bytes. Fails with a message if they belong
/// to another module, or are damaged. Returns false if the file does not exist.
llvm::Expected<bool> readNames(const std::string &Path, llvm::StringRef Key,
                               std::string &Bytes, SymbolNames &Names);

} // namespace patchbay
