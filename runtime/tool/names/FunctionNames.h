// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a file's functions to select them by: those of its own symbols and, if it was
// stripped, those of its debug file.
#ifndef PATCHBAY_TOOL_FUNCTIONNAMES_H
#define PATCHBAY_TOOL_FUNCTIONNAMES_H

#include "SymbolFiles.h"

namespace patchbay {

class FunctionNames {
public:
  /// Looks for a debug file, below each of Roots, if Image has no symbol table: see
  /// debugFiles(). Without Roots it does not look for one. Points into Image.
  static llvm::Expected<FunctionNames>
  read(const ElfImage &Image, llvm::ArrayRef<std::string> Roots = {std::string()});

  /// The image's own symbols, which the runtime in a process reads.
  const SymbolNames &own() const { return Own; }
  /// Those of the debug file, if there is one; else its own.
  const SymbolNames &known() const { return Apart ? Apart->Names : Own; }
  /// All names of the function at Entry, the one to show first.
  std::vector<llvm::StringRef> at(uint64_t Entry) const;
  /// By what the runtime finds the function: the first of its own symbols, or its entry
  /// (<patchbay/filter.h>).
  std::string nameForRuntime(const ElfImage &Image, uint64_t Entry) const;
  /// Whether only exported functions have names.
  bool stripped() const { return !Apart && Own.stripped(); }

private:
  SymbolNames Own;
  std::optional<SymbolFile> Apart;
};

} // namespace patchbay

#endif
