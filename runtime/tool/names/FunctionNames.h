// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a file's functions for selecting them: its own symbols and, if
// it was stripped, those of its debug file.
#pragma once

#include "SymbolFiles.h"

namespace patchbay {

class FunctionNames {
public:
  /// If Image has no symbol table, looks for a debug file below each of Roots:
  /// see debugFiles(). Without Roots it does not. The names point into Image.
  static llvm::Expected<FunctionNames>
  read(const ElfImage &Image, llvm::ArrayRef<std::string> Roots = {std::string()});

  /// The image's own symbols, which the runtime in a process reads.
  const SymbolNames &own() const { return Own; }
  /// The symbols of the debug file, if there is one; otherwise its own.
  const SymbolNames &known() const { return Apart ? Apart->Names : Own; }
  /// All names of the function at Entry, the preferred one first.
  std::vector<llvm::StringRef> at(uint64_t Entry) const;
  /// The name by which the runtime finds the function: the first of its own
  /// symbols, or its entry (<patchbay/filter.h>).
  std::string nameForRuntime(const ElfImage &Image, uint64_t Entry) const;
  /// Do only exported functions have names?
  bool stripped() const { return !Apart && Own.stripped(); }

private:
  SymbolNames Own;
  std::optional<SymbolFile> Apart;
};

} // namespace patchbay
