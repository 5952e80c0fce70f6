// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linked image by address, for the checks of `verify`.
#pragma once

#include "elf/CodeForm.h"
#include "elf/DynamicRelocations.h"
#include "elf/LoadMap.h"

namespace patchbay {

class ImageView {
public:
  /// Keeps a reference: Image must outlive this object.
  static llvm::Expected<ImageView> create(const ElfImage &Image);

  const ElfImage &image() const { return *Image; }
  const CodeForm &form() const { return *Form; }
  const LoadMap &map() const { return Map; }
  const DynamicRelocations &relocations() const { return Relocations; }
  const SymbolNames &functions() const { return Functions; }

  /// The address of the first stub, for each descriptor of the module. There is
  /// only one descriptor, unless hidden symbols in the module's objects were
  /// made local.
  llvm::ArrayRef<uint64_t> stubs() const { return Stubs; }

  /// The readable name of the function at Entry.
  std::string nameAt(uint64_t Entry) const;

  /// The function that ends last among those that begin before an address; nullptr if
  /// there is none.
  const SymbolNames::Symbol *bodyBefore(uint64_t Address) const;

private:
  ImageView(const ElfImage &Image, LoadMap Map, DynamicRelocations Relocations,
            SymbolNames Functions);

  const ElfImage *Image;
  const CodeForm *Form;
  LoadMap Map;
  DynamicRelocations Relocations;
  SymbolNames Functions;
  std::vector<uint64_t> Stubs;
  /// For each symbol: the index of the symbol that ends last, among this symbol and all
  /// before it.
  std::vector<size_t> EndsLast;
};

/// The end of a function, limited to the highest address; 0 if the symbol is no
/// function.
uint64_t bodyEnd(const SymbolNames::Symbol &Function);

/// The prefix that kCFI on x86-64 uses for the symbol of a function's hash.
constexpr llvm::StringLiteral HashSymbolPrefix = "__cfi_";

} // namespace patchbay
