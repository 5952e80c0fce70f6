// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that the ABI puts around the entry of a function, by machine:
// `verify` expects them. abi.h has the numbers.
#pragma once

#include "patchbay/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace patchbay {

using CodeBytes = llvm::SmallVector<uint8_t, 8>;

/// An instruction word with some given bits.
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
  /// Does st_other tell the distance from the entry to the site?
  bool HasLocalEntry;
  /// Numbers of argument registers of the calling convention.
  unsigned MaxGPArgs, MaxFPArgs;
  /// The disarmed site as words. Empty where instructions have odd sizes.
  llvm::ArrayRef<uint32_t> SiteWords;

  unsigned siteSize() const;
  /// The disarmed site. ToPad is the distance from its start to the pad. ToStub is the
  /// distance to the stub that it calls when armed. Either may be missing.
  CodeBytes site(int64_t ToPad, int64_t ToStub) const;
  /// The offset of a function's stub from the first one of its module.
  unsigned stubOffset(const patchbay_record &R, bool BehindLandingPad) const;
  /// The stubs of a module, and the bytes after them. They jump through trampolines'
  /// addresses at Trampolines. Stubs is the address of the first stub.
  CodeBytes stubs(uint64_t Stubs, uint64_t Trampolines,
                  bool HaveLandingPads) const;
  /// Eight bytes of return instructions.
  CodeBytes pad() const;
  /// The 8 bytes before the entry of a record with this signature. Takes from Found, the
  /// bytes in the image, those bits that the record does not determine.
  CodeBytes padAndHash(uint32_t Signature, llvm::ArrayRef<uint8_t> Found) const;
};

/// The entry for a machine in abi.h's table.
const CodeForm &codeForm(uint16_t Machine);

} // namespace patchbay
