// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions that are in a recording itself, so that it can be read where the
// program is not: a file for each module, compressed.
#ifndef PATCHBAY_TOOL_NAMEARCHIVE_H
#define PATCHBAY_TOOL_NAMEARCHIVE_H

#include "elf/ElfImage.h"

namespace patchbay {

/// Where in the recording Dir the names of a module are; Key: see moduleKey().
std::string nameArchivePath(llvm::StringRef Dir, llvm::StringRef Key);
/// Whether a file of this name in a recording is one of these.
bool isNameArchive(llvm::StringRef Name);
/// Whether this open file has them.
bool hasNames(int File);
/// Writes them there. What was there is replaced in one step.
llvm::Error writeNames(const std::string &Path, llvm::StringRef Key,
                       const SymbolNames &Names);
/// Reads them; Names point into Bytes. Fails with a message if they are of another
/// module, or damaged; returns false if there is no such file.
llvm::Expected<bool> readNames(const std::string &Path, llvm::StringRef Key,
                               std::string &Bytes, SymbolNames &Names);

} // namespace patchbay

#endif
