// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files with a program's symbols.
#pragma once

#include "elf/ElfImage.h"
#include <vector>

namespace patchbay {

/// Possible debug files for an image that was stripped, or for a build id (bytes), the
/// nearest first. Uses the order of gdb (Debugging with GDB, "Debugging Information in
/// Separate Files"). By build id it looks below Symfs/usr/lib/debug. By .gnu_debuglink it
/// looks beside Path, in .debug there, and in Symfs/usr/lib/debug.
std::vector<std::string> debugFiles(const ElfImage *Image, llvm::StringRef Path,
                                    llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

/// Does the image's .gnu_debuglink or its build id match Debug? BuildId is
/// empty if unknown.
bool belongsTo(const ElfImage &Debug, const ElfImage *Image,
               llvm::StringRef BuildId);

/// Asks the servers of DEBUGINFOD_URLS through elfutils' library, which caches
/// results (debuginfod_find_debuginfo(3)). Returns the path. Empty if no server
/// is named, the library is not installed, or no server has the file.
std::string askDebuginfod(llvm::StringRef BuildId);

/// A file with symbols. Names points into it.
struct SymbolFile {
  ElfImage Image;
  SymbolNames Names;
};

/// The first of these files, below each of Roots, that has a symbol table. Nothing if
/// there is none.
std::optional<SymbolFile> findSymbolFile(const ElfImage *Image, llvm::StringRef Path,
                                         llvm::StringRef BuildId,
                                         llvm::ArrayRef<std::string> Roots);

} // namespace patchbay
