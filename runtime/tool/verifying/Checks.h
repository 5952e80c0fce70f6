// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of `verify` for an image. Prints each finding as one line.
#pragma once

#include "elf/CodeForm.h"
#include "elf/DynamicTable.h"

namespace patchbay {

/// A linked image by address, for the checks of `verify`.
class ImageView {
public:
  /// Image must outlive this object.
  static llvm::Expected<ImageView> create(const ElfImage &Image);

  const ElfImage &image() const { return *Image; }
  const CodeForm &form() const { return *Form; }
  const LoadMap &map() const { return Map; }
  const DynamicRelocations &relocations() const { return Relocations; }
  const SymbolNames &functions() const { return Functions; }

  /// The address of the first stub, for each descriptor of the module. A module has several
  /// descriptors only if hidden symbols in its objects were made local.
  llvm::ArrayRef<uint64_t> stubs() const { return Stubs; }

  /// The readable name of the function at Entry.
  std::string nameAt(uint64_t Entry) const;

  /// The function that ends last among the functions that begin before an address; nullptr if
  /// no function begins before.
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
  /// EndsLast[I]: which of the symbols 0 to I ends last?
  std::vector<size_t> EndsLast;
};

/// The address after a function, at most the highest address; 0 if the symbol is no function.
uint64_t bodyEnd(const SymbolNames::Symbol &Function);

/// The prefix that kCFI on x86-64 uses for the symbol of a function's hash.
constexpr llvm::StringLiteral HashSymbolPrefix = "__cfi_";

class Findings {
public:
  explicit Findings(llvm::StringRef Path) : Path(Path) {}

  /// Prints "PATH: NAME+0xOFFSET: WHAT: expected EXPECTED, found FOUND".
  void add(llvm::StringRef Name, int64_t Offset, const llvm::Twine &What,
           const llvm::Twine &Expected, const llvm::Twine &Found);
  unsigned count() const { return Count; }

private:
  std::string Path;
  unsigned Count = 0;
};

/// A number as "0x1f", and bytes in memory order as "1f 2e".
std::string hex(uint64_t Number);
std::string hex(llvm::ArrayRef<uint8_t> Bytes);

/// Checks the section of records, and the module descriptor that points to the section.
llvm::Error checkModule(const ImageView &View, Findings &Out);

/// Checks one record against the function that it describes, byte by byte.
void checkRecord(const ImageView &View, const SiteRecord &Record, Findings &Out);

/// Checks that no two records have the same entry or the same site.
void checkUnique(const ImageView &View, llvm::ArrayRef<SiteRecord> Records, Findings &Out);

/// Checks the functions in LLVM's tables of patchable entries, which have slots in kernel mode.
/// Returns the number of functions with a slot. HasRecords: read only the table with LLVM's
/// default name.
llvm::Expected<unsigned> checkEntryTables(const ImageView &View, bool HasRecords,
                                          Findings &Out);

// Checks of the bytes around a function's entry, to which a record or the kernel's table refers.

struct Subject {
  uint64_t Entry;
  std::string Name;
};

/// Checks that the slot is aligned and zero.
void checkSlot(const ImageView &View, const Subject &Function, Findings &Out);

/// Checks that the bytes around the entry belong only to the function: no function that begins
/// earlier overlaps them, and the dynamic loader does not write to them. The range must be part
/// of the image.
void checkOwned(const ImageView &View, const Subject &Function, int64_t From,
                int64_t To, Findings &Out);

/// Compares the image with Expected. Offset: relative to the entry. The range must be
/// part of the image.
void checkBytes(const ImageView &View, const Subject &Function, int64_t Offset,
                const llvm::Twine &What, llvm::ArrayRef<uint8_t> Expected,
                Findings &Out);

} // namespace patchbay
