// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linked image as the checks of `verify` look at it: by address.
#ifndef PATCHBAY_TOOL_IMAGEVIEW_H
#define PATCHBAY_TOOL_IMAGEVIEW_H

#include "elf/CodeForm.h"
#include "elf/DynamicRelocations.h"
#include "elf/LoadMap.h"

namespace patchbay {

class ImageView {
public:
  /// Refers to Image, which has to outlive it.
  static llvm::Expected<ImageView> create(const ElfImage &Image);

  const ElfImage &image() const { return *Image; }
  const CodeForm &form() const { return *Form; }
  const LoadMap &map() const { return Map; }
  const DynamicRelocations &relocations() const { return Relocations; }
  const SymbolNames &functions() const { return Functions; }

  /// The first stubs of the module, by descriptor. There is one, but for modules whose
  /// objects had hidden symbols made local.
  llvm::ArrayRef<uint64_t> stubs() const { return Stubs; }

  /// The function at Entry as people call it.
  std::string nameAt(uint64_t Entry) const;

  /// Of the functions that begin before an address the one that ends last, null
  /// if there is none.
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
  /// For each symbol which of it and those before it ends last.
  std::vector<size_t> EndsLast;
};

/// Where a function ends, the last address if that is beyond it; 0 if the
/// symbol is of no function.
uint64_t bodyEnd(const SymbolNames::Symbol &Function);

/// x86-64 kCFI's name for a function's hash, which is a symbol of its own.
constexpr llvm::StringLiteral HashSymbolPrefix = "__cfi_";

} // namespace patchbay

#endif
