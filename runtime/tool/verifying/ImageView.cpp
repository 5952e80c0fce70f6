// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"
#include "names/FunctionNames.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace patchbay;

// Returns 0 for the symbol of a hash, which has the type of a function, but no body.
uint64_t patchbay::bodyEnd(const SymbolNames::Symbol &S) {
  return S.Name.starts_with(HashSymbolPrefix)
             ? 0
             : SaturatingAdd(S.Address, S.Size);
}

ImageView::ImageView(const ElfImage &Image, LoadMap Map,
                     DynamicRelocations Relocations, SymbolNames Functions)
    : Image(&Image), Form(&codeForm(Image.machine())), Map(std::move(Map)),
      Relocations(std::move(Relocations)), Functions(std::move(Functions)) {
  ArrayRef<SymbolNames::Symbol> Symbols = this->Functions.symbols();
  for (size_t I = 0; I != Symbols.size(); ++I) {
    size_t Last = I ? EndsLast.back() : I;
    EndsLast.push_back(bodyEnd(Symbols[I]) > bodyEnd(Symbols[Last]) ? I : Last);
  }
}

Expected<ImageView> ImageView::create(const ElfImage &Image) {
  auto Map = LoadMap::create(Image);
  if (!Map)
    return Map.takeError();
  auto Relocations = DynamicRelocations::create(Image);
  if (!Relocations)
    return Relocations.takeError();
  auto Functions = Image.symbolNames();
  if (!Functions)
    return Functions.takeError();
  auto Modules = Image.modules();
  if (!Modules)
    return Modules.takeError();
  ImageView View(Image, std::move(*Map), std::move(*Relocations),
                 std::move(*Functions));
  for (uint64_t At : *Modules) {
    constexpr size_t Field = offsetof(patchbay_module, stubs);
    ArrayRef<uint8_t> Module = View.map().bytes(At, PATCHBAY_MODULE_SIZE_MIN);
    uint64_t ToStubs =
        Module.empty() ? 0 : support::endian::read64le(&Module[Field]);
    if (ToStubs)
      View.Stubs.push_back(At + Field + ToStubs);
  }
  return View;
}

std::string ImageView::nameAt(uint64_t Entry) const {
  return displayNames(Functions, Entry).front();
}

const SymbolNames::Symbol *ImageView::bodyBefore(uint64_t Address) const {
  ArrayRef<SymbolNames::Symbol> Symbols = Functions.symbols();
  auto After = llvm::partition_point(
      Symbols, [&](const auto &S) { return S.Address < Address; });
  size_t Count = After - Symbols.begin();
  return Count ? &Symbols[EndsLast[Count - 1]] : nullptr;
}
