// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each machine, the bytes that the ABI (abi.h) requires around the entry of a function.
// `verify` compares them with the image.
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

/// Code that may precede the site in a function.
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
  /// The disarmed site as words. Empty on x86-64, whose instructions have any size.
  llvm::ArrayRef<uint32_t> SiteWords;

  unsigned siteSize() const;
  /// The disarmed site. ToPad and ToStub, used on x86-64: distances from its start to the
  /// pad, and to the stub that the armed site calls.
  CodeBytes site(int64_t ToPad, int64_t ToStub) const;
  /// The offset of a function's stub from the first stub of its module.
  unsigned stubOffset(const patchbay_record &R, bool BehindLandingPad) const;
  /// The stubs of a module, and the bytes after the stubs. Stubs: address of the first stub.
  /// Trampolines: address of the table of trampolines, through which stubs jump.
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
