// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What debug information says of functions: their parameters and results, and of what
// types they are. LLVM reads it; nothing is kept of functions that nobody asks about.
#ifndef PATCHBAY_TOOL_DWARFFUNCTIONS_H
#define PATCHBAY_TOOL_DWARFFUNCTIONS_H

#include "ElfImage.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace patchbay {

class DwarfFunctions {
public:
  /// Of the image or, where it was stripped, of a file with its debug information,
  /// which is looked for below each of Roots, as that with its symbols is. Fails if
  /// there is none.
  static llvm::Expected<std::unique_ptr<DwarfFunctions>>
  open(const ElfImage &Image, llvm::ArrayRef<std::string> Roots);
  /// The function at an address; invalid if nothing is known of it.
  llvm::DWARFDie at(uint64_t Entry) const;
  /// Where the source has the function at an address: "a.c:3"; empty if that is not known.
  std::string sourceOf(uint64_t Entry) const;
  /// "f was inlined into main (a.c:3) and 2 more places", if Globs match a function that was
  /// inlined; else empty.
  std::string inlinedText(llvm::ArrayRef<std::string> Globs) const;

private:
  std::optional<ElfImage> Debug;
  std::unique_ptr<llvm::DWARFContext> Context;
};

/// A parameter as it is declared, in order; Location: the one that says where it is,
/// invalid if the compiler has dropped it.
struct DwarfParameter {
  std::string Name; // "" if it has none
  llvm::DWARFDie Type, Location;
};

std::vector<DwarfParameter> parametersOf(llvm::DWARFDie Function);

/// Invalid: void.
llvm::DWARFDie typeOf(llvm::DWARFDie Of);
/// Without typedefs, const and the like.
llvm::DWARFDie plainType(llvm::DWARFDie Type);
/// 0 if it is not known.
uint64_t sizeOf(llvm::DWARFDie Type);
/// A pointer, or a reference of either kind.
bool isPointer(llvm::DWARFDie Type);
/// A struct, class or union.
bool isRecord(llvm::DWARFDie Type);
/// "S" and "L" for std::string of libstdc++ and libc++; else empty.
std::string stringKind(llvm::DWARFDie Type);
/// Where a std::string_view has its pointer and its length.
struct DwarfView {
  uint64_t Text, Length; // offsets
};
/// Nothing if it is none, or of other characters than char.
std::optional<DwarfView> viewOf(llvm::DWARFDie Type);
/// Its kind in typed_spec.h, with enumerators; empty if it is none of those.
std::string scalarKind(llvm::DWARFDie Type);

struct DwarfMember {
  llvm::DWARFDie Type;
  uint64_t Offset;
  bool IsBitField;
};
/// Also in base classes, and in members without a name.
std::optional<DwarfMember> memberOf(llvm::DWARFDie Record, llvm::StringRef Name);
/// Names of members, for messages.
std::vector<std::string> memberNames(llvm::DWARFDie Record);

} // namespace patchbay

#endif
