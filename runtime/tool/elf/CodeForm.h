// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ABI puts around the entry of a function, machine by machine, as
// bytes: what `verify` expects to find. The numbers are abi.h's.
#ifndef PATCHBAY_TOOL_CODEFORM_H
#define PATCHBAY_TOOL_CODEFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "patchbay/abi.h"
#include <cstdint>

namespace patchbay {

using CodeBytes = llvm::SmallVector<uint8_t, 8>;

/// An instruction word of which some bits are given.
struct CodeWord {
  uint32_t Value;
  uint32_t Mask = 0xffffffff;
};

/// What may stand between the entry and the site.
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
  /// Whether how far the site is from the entry is in st_other.
  bool HasLocalEntry;
  /// The most arguments that the calling convention has registers for.
  unsigned MaxGPArgs, MaxFPArgs;
  /// The disarmed site, words or, where instructions have odd sizes, bytes.
  llvm::ArrayRef<uint32_t> SiteWords;

  unsigned siteSize() const;
  /// The disarmed site; ToPad leads from its start to the pad, ToStub to the stub
  /// that it calls if it is armed, where there are such.
  CodeBytes site(int64_t ToPad, int64_t ToStub) const;
  /// Where the stub of a function is, behind the first one of its module.
  unsigned stubOffset(const patchbay_record &R, bool BehindLandingPad) const;
  /// The stubs of a module with trampolines' addresses at Trampolines, which they
  /// jump through, when the first stub is at Stubs; and what is behind them.
  CodeBytes stubs(uint64_t Stubs, uint64_t Trampolines) const;
  /// Eight bytes of return instructions.
  CodeBytes pad() const;
  /// The 8 bytes before the entry if the record has this signature. Found is
  /// what is there, for the bits that nothing else tells.
  CodeBytes padAndHash(uint32_t Signature, llvm::ArrayRef<uint8_t> Found) const;
};

/// The form of a machine in abi.h's table.
const CodeForm &codeForm(uint16_t Machine);

} // namespace patchbay

#endif
