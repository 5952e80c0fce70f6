// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that have the symbols of a program, wherever these are kept.
#ifndef PATCHBAY_TOOL_SYMBOLFILES_H
#define PATCHBAY_TOOL_SYMBOLFILES_H

#include "elf/ElfImage.h"
#include <vector>

namespace patchbay {

/// Where the symbols may be that strip(1) took from an image, if there is one; else of
/// a build id (bytes). First comes what is near. In the order of gdb (Debugging with GDB,
/// "Debugging Information in Separate Files"): by build id below Symfs/usr/lib/debug,
/// and by .gnu_debuglink beside Path, in .debug there, and in Symfs/usr/lib/debug.
std::vector<std::string> debugFiles(const ElfImage *Image, llvm::StringRef Path,
                                    llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

/// Whether File is what the image's .gnu_debuglink or its build id asks for. BuildId
/// is empty if nobody knows it.
bool belongsTo(const ElfImage &Debug, const ElfImage *Image,
               llvm::StringRef BuildId);

/// Asks the servers of DEBUGINFOD_URLS, by elfutils' library, which keeps what it was
/// given (debuginfod_find_debuginfo(3)). The path; empty if no server is named, the
/// library is not installed, or none of them has it.
std::string askDebuginfod(llvm::StringRef BuildId);

/// A file with symbols, and these, which point into it.
struct SymbolFile {
  ElfImage Image;
  SymbolNames Names;
};

/// The first of all those, below each of Roots, that has a symbol table. Nothing if there
/// is none.
std::optional<SymbolFile> findSymbolFile(const ElfImage *Image, llvm::StringRef Path,
                                         llvm::StringRef BuildId,
                                         llvm::ArrayRef<std::string> Roots);

} // namespace patchbay

#endif
