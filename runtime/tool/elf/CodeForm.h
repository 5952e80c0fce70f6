// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that the ABI requires around the entry of a function, by machine: `verify`
// expects them. abi.h has the numbers.
#pragma once

#include "patchbay/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace patchbay {

using CodeBytes = llvm::SmallVector<uint8_t, 8>;

/// A mask and value for an instruction word.
struct CodeWord {
  uint32_t Value;
  uint32_t Mask = 0xffffffff;
};

/// Code that may stand between the entry and the site.
struct EntryCode {
  llvm::StringLiteral Name;
  llvm::ArrayRef<CodeWord> Words;
  unsigned size() const { return Words.size() * 4; }
  bool matches(llvm::ArrayRef<uint8_t> Found) const;
};

struct CodeForm {
  uint16_t Machine;
  uint32_t PadWord;
  llvm::ArrayRef<EntryCode> EntryCodes;
  /// Does st_other give the distance from the entry to the site?
  bool HasLocalEntry;
  /// Numbers of registers for arguments in the calling convention.
  unsigned MaxGPArgs, MaxFPArgs;
  /// The disarmed site as words. Empty on machines with instructions of odd sizes.
  llvm::ArrayRef<uint32_t> SiteWords;

  unsigned siteSize() const;
  /// The disarmed site. ToPad is the distance from its start to the pad. ToStub is the
  /// distance to the stub that the armed site calls. A site need not have both.
  CodeBytes site(int64_t ToPad, int64_t ToStub) const;
  /// The offset of a function's stub from the first stub of its module.
  unsigned stubOffset(const patchbay_record &R, bool BehindLandingPad) const;
  /// The stubs of a module, and the bytes after them. Stubs is the address of the first
  /// stub. Stubs jump through the trampolines' addresses at Trampolines.
  CodeBytes stubs(uint64_t Stubs, uint64_t Trampolines,
                  bool HaveLandingPads) const;
  /// Eight bytes of return instructions.
  CodeBytes pad() const;
  /// The 8 bytes before the entry of a record with this signature. Bits that the record
  /// does not determine are copied from Found, the bytes in the image.
  CodeBytes padAndHash(uint32_t Signature, llvm::ArrayRef<uint8_t> Found) const;
};

/// The row of abi.h's table for this machine.
const CodeForm &codeForm(uint16_t Machine);

} // namespace patchbay
