// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names by which users select a file's functions, and names for display. If a file was
// stripped, the names come from its debug file. A compiler may append a suffix to a function's
// name to make it unique, such as parse.llvm.1527. The number changes with each build, so the
// suffix is shown only if two functions of a file would otherwise have the same name.
#pragma once

#include "SymbolFiles.h"

namespace patchbay {

class FunctionNames {
public:
  /// If Image has no symbol table, searches for a debug file below each of
  /// Roots: see debugFiles(). The names point into Image.
  static llvm::Expected<FunctionNames>
  read(const ElfImage &Image, llvm::ArrayRef<std::string> Roots = {std::string()});

  /// The image's own symbols. The runtime in a process reads only these.
  const SymbolNames &own() const { return Own; }
  /// The symbols of the debug file or, without a debug file, the image's own symbols.
  const SymbolNames &known() const { return Apart ? Apart->Names : Own; }
  /// All names of the function at Entry, the preferred name first.
  std::vector<llvm::StringRef> at(uint64_t Entry) const;
  /// The name by which the runtime finds the function: its first own symbol or, without a
  /// symbol, its entry (<patchbay/filter.h>).
  std::string nameForRuntime(const ElfImage &Image, uint64_t Entry) const;
  /// Do only exported functions have names?
  bool stripped() const { return !Apart && Own.stripped(); }

private:
  SymbolNames Own;
  std::optional<SymbolFile> Apart;
};

/// The functions of an image that can be traced.
struct TraceableFunctions {
  std::vector<SiteRecord> Records;
  FunctionNames Names;
  std::string WhyNone;               // reason for missing records, if known
  std::vector<std::string> Warnings; // about functions that cannot be traced

  /// Roots: as for FunctionNames::read().
  static llvm::Expected<TraceableFunctions>
  read(const ElfImage &Image, llvm::ArrayRef<std::string> Roots = {std::string()});
};

/// Unique readable names of the function at Entry, the preferred name first; "0x..."
/// without a name.
std::vector<std::string> displayNames(const SymbolNames &Of, uint64_t Entry);

/// The first display name without the unique suffix, so that two builds of a program have
/// the same name.
std::string commonName(const SymbolNames &Of, uint64_t Entry);

} // namespace patchbay
