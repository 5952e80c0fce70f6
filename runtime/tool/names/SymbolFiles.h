// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files with a program's symbols, and the names of the kernel's functions.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Candidates for the debug file of a stripped image, or of a build id (bytes), in gdb's
/// order (Debugging with GDB, "Debugging Information in Separate Files"): by build id below
/// Symfs/usr/lib/debug, then by .gnu_debuglink in Path's directory, in .debug in Path's
/// directory, and in Symfs/usr/lib/debug.
std::vector<std::string> debugFiles(const ElfImage *Image, llvm::StringRef Path,
                                    llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

/// Does Debug match the image's .gnu_debuglink, or its build id? BuildId is empty if
/// unknown.
bool belongsTo(const ElfImage &Debug, const ElfImage *Image,
               llvm::StringRef BuildId);

/// Asks the servers of DEBUGINFOD_URLS through elfutils' library, which caches results
/// (debuginfod_find_debuginfo(3)). Returns the path of the file; empty if no server has the
/// file, no server is configured, or the library is not installed.
std::string askDebuginfod(llvm::StringRef BuildId);

/// A file with symbols. Names points into Image.
struct SymbolFile {
  ElfImage Image;
  SymbolNames Names;
};

/// The first candidate, below each of Roots, that has a symbol table.
std::optional<SymbolFile> findSymbolFile(const ElfImage *Image, llvm::StringRef Path,
                                         llvm::StringRef BuildId,
                                         llvm::ArrayRef<std::string> Roots);

/// The functions of the running kernel, from /proc/kallsyms. Addresses change with each boot,
/// and only privileged users may see addresses.
class KernelNames {
public:
  /// The name of the function that contains Address. Empty if BootId is not the id of the
  /// current boot, or if this command may not see addresses.
  llvm::StringRef at(uint64_t Address, llvm::StringRef BootId);

private:
  void read();

  struct Symbol {
    uint64_t Address;
    std::string Name;
  };
  std::vector<Symbol> Symbols; // sorted by address
  std::optional<std::string> BootId; // id of the current boot, once it is read
  bool IsRead = false;
};

} // namespace patchbay
