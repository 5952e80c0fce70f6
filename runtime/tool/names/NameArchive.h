// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores names of functions in the recording, so that the recording can be read on machines
// without the program. Each module has one compressed file.
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
/// Reads the names. Names points into Bytes. Fails if the file is of another module, or is
/// damaged. Returns false if the file does not exist.
llvm::Expected<bool> readNames(const std::string &Path, llvm::StringRef Key,
                               std::string &Bytes, SymbolNames &Names);

} // namespace patchbay
