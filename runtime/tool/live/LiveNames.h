// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds names for addresses in a running process from its mapped files, and finds the
// process's functions that match a glob.
#pragma once

#include "ProcessMemory.h"
#include "names/FunctionNames.h"
#include <set>

namespace patchbay {

class LiveNames {
public:
  /// Memory must outlive this object.
  explicit LiveNames(const ProcessMemory &Memory) : Memory(Memory) {}

  /// The names of the function at Entry; empty if its file is not available.
  std::vector<llvm::StringRef> functionAt(uint64_t Entry);
  /// The preferred readable name of the function; without a name, its address.
  std::string nameOf(uint64_t Entry);
  /// Did llvm-bolt move the function that was at Entry?
  bool isMoved(uint64_t Entry);
  /// The name of the file that is mapped at Address, without folders; "?" without a file.
  std::string fileAt(uint64_t Address) const;
  /// "function (file)", "function+0x10 (file)", or "0x1234 (file)".
  std::string describe(uint64_t Address);
  /// A searched file without a symbol table; empty if each file has a symbol table.
  const std::string &stripped() const { return Stripped; }

private:
  struct File {
    std::unique_ptr<ElfImage> Image;
    FunctionNames Names;
    bool HasMoved = false; // has llvm-bolt moved functions?
  };
  const File *file(const ProcessMemory::Mapping &M);
  /// Converts Address to an address in the file.
  const File *locate(uint64_t &Address);

  const ProcessMemory &Memory;
  llvm::StringMap<File> Files;
  std::string Stripped;
};

/// Matches a glob against the functions of a running process. The process knows only symbols,
/// so this command matches demangled names and sends the symbols.
class LiveSelection {
public:
  /// An empty glob selects nothing. Prints a warning of one line if names
  /// cannot be looked up.
  LiveSelection(int Pid, llvm::StringRef Glob);

  /// A file with the names of the functions, to send to the process; -1 if the
  /// glob alone suffices.
  int file() const { return File; }
  /// Could all files be read, and does no function match?
  bool isNothing() const { return !HasMatches && Stripped.empty() && Gone.empty(); }
  /// Explains to the user why nothing matches: "; ..."
  std::string hint() const;

private:
  bool writeFile(const std::set<std::string> &Names);

  int Pid;
  Descriptor File;
  bool HasMatches = false;
  std::string Meant;    // "did you mean ..."
  std::string Stripped; // a file without a symbol table
  std::string Gone;     // a file that is no longer available
};

} // namespace patchbay
