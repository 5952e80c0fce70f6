// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass knows about a target, as data. A new target is a new row in
// SlotLayout.cpp and, where it passes arguments in a new way, a new case in
// Arguments.cpp; nothing else in the pass names a target.
#ifndef PATCHBAY_LLVM_PASS_SLOTLAYOUT_H
#define PATCHBAY_LLVM_PASS_SLOTLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Alignment.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <optional>

namespace patchbay {

/// The rules that a target's C calling convention follows.
enum class CallingStandard { SystemV_X86_64, AAPCS64 };

/// A landing pad instruction: LLVM's name and, if there is one name for several
/// instructions, the immediate operand that tells it from the others.
struct LandingPad {
  llvm::StringLiteral Name;
  std::optional<int64_t> Immediate;
};

struct SlotLayout {
  llvm::Triple::ArchType Arch;

  /// Four bytes of return instructions, little endian: the pad.
  uint32_t PadWord;

  /// Fills what alignment asks for in front of the slot; never executed.
  uint8_t FillByte;

  /// The opcode that LLVM puts directly before the hash, in a pad's place.
  std::optional<uint8_t> HashOpcode;

  /// A hash with one of these values, or the negative of one, is bumped by one
  /// so that it is not a landing pad; mirrors what callers check.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions that a site must leave at the entry, and
  /// their size.
  llvm::ArrayRef<LandingPad> LandingPads;
  unsigned LandingPadSize;

  /// Whether LLVM puts landing pads in place only behind FuncletLayout.
  bool LandingPadsComeLate;

  /// LLVM's names of instructions that only print a directive, but do not say
  /// that they are no code.
  llvm::ArrayRef<llvm::StringLiteral> Directives;

  /// LLVM's names of instructions that are landing pads besides what else they
  /// do. The site comes before them, and before it, in functions with the
  /// attribute that asks for landing pads, one of its own.
  llvm::ArrayRef<llvm::StringLiteral> ImpliedLandingPads;
  llvm::StringLiteral LandingPadAttribute;
  llvm::StringLiteral LandingPadText;

  /// Size of the site and its text; {0} is the displacement from the end of
  /// the site to the pad, as a byte.
  unsigned SiteSize;
  llvm::StringLiteral Site;

  /// How arguments are assigned; what the site clobbers, and the integer and
  /// the floating-point argument registers in order, all spelled as inline
  /// assembly constraints.
  CallingStandard Standard;
  llvm::StringLiteral Clobber;
  llvm::ArrayRef<llvm::StringLiteral> IntegerRegisters;
  llvm::ArrayRef<llvm::StringLiteral> FloatRegisters;

  /// Body of a function that passes the descriptor {0} to the weak function
  /// {2}, if that is there and if {0} is what the linker made of the weak
  /// symbol {1}. {3} is a label for it to use: LLVM mixes up numeric ones when
  /// it generates code for a second module.
  llvm::StringLiteral ModuleCall;
};

/// The row of a target, or null if the target has no row.
const SlotLayout *findSlotLayout(const llvm::Triple &TT);

/// What goes directly before the entry: slot, pad and hash, filled up in front
/// to a multiple of \p Alignment.
llvm::SmallVector<uint8_t> layOutPrefix(const SlotLayout &Layout,
                                        std::optional<uint32_t> Hash,
                                        llvm::Align Alignment);

/// The hash as callers check it.
uint32_t maskHash(const SlotLayout &Layout, uint32_t Hash);

} // namespace patchbay

#endif
