// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of `verify` for an image. Each finding is printed as one line.
#pragma once

#include "ImageView.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <string>

namespace patchbay {

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

/// Checks the section of records, and the module descriptor that points to it.
llvm::Error checkModule(const ImageView &View, Findings &Out);

/// Checks one record against the function that it describes, byte by byte.
void checkRecord(const ImageView &View, const SiteRecord &Record, Findings &Out);

/// Checks that no two records have the same entry or the same site.
void checkUnique(const ImageView &View, llvm::ArrayRef<SiteRecord> Records, Findings &Out);

/// Checks the functions in LLVM's tables of patchable entries. In kernel mode, Patchbay
/// adds only a slot to them. Returns how many of these functions have a slot. If an image
/// has records, only the table with LLVM's usual name is read.
llvm::Expected<unsigned> checkEntryTables(const ImageView &View, bool HasRecords,
                                          Findings &Out);

// The bytes before an entry that a record or the kernel's table refers to.

struct Subject {
  uint64_t Entry;
  std::string Name;
};

/// Checks that the slot is aligned and zero.
void checkSlot(const ImageView &View, const Subject &Function, Findings &Out);

/// Checks that the bytes around the entry have no other use: no function that begins
/// earlier overlaps them, and the dynamic loader does not write to them. The range must
/// be part of the image.
void checkOwned(const ImageView &View, const Subject &Function, int64_t From,
                int64_t To, Findings &Out);

/// Compares the image with Expected. Offset: relative to the entry. The range must be
/// part of the image.
void checkBytes(const ImageView &View, const Subject &Function, int64_t Offset,
                const llvm::Twine &What, llvm::ArrayRef<uint8_t> Expected,
                Findings &Out);

} // namespace patchbay
