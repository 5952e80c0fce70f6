// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass knows about a target, as data. A new target is a new row in
// SlotLayout.cpp and, where it passes arguments in a new way, a new case in
// Arguments.cpp; nothing else in the pass names a target.
#ifndef PATCHBAY_LLVM_PASS_SLOTLAYOUT_H
#define PATCHBAY_LLVM_PASS_SLOTLAYOUT_H

#include "MachineCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Alignment.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <optional>

namespace patchbay {

/// The rules that a target's C calling convention follows.
enum class CallingStandard { SystemV_X86_64, AAPCS64, ELFv2, RISCV64 };

/// A landing pad instruction: LLVM's name and, if there is one name for several
/// instructions, the first operand, which tells it from the others.
struct LandingPad {
  llvm::StringLiteral Name;
  std::optional<CodeOperand> Operand;
};

struct SlotLayout {
  llvm::Triple::ArchType Arch;

  /// Four bytes of return instructions, little endian: the pad.
  uint32_t PadWord;

  /// Fills what alignment asks for in front of the slot; never executed.
  uint8_t FillByte;

  /// The opcode that LLVM puts directly before the hash, in a pad's place. With
  /// kcfi-arity the function's arity is added to it.
  std::optional<uint8_t> HashOpcode;

  /// Whether kCFI checks become ordinary instructions as early as in IR.
  bool LowersKCFIInIR;

  /// A hash with one of these values, or the negative of one, is bumped by one
  /// so that it is not a landing pad; mirrors what callers check.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions that a site must leave at the entry, and
  /// their size.
  llvm::ArrayRef<LandingPad> LandingPads;
  unsigned LandingPadSize;

  /// LLVM's name of the pass behind which landing pads are in place and
  /// branches have their final form.
  llvm::StringLiteral Behind;

  /// The shortest reach of a branch that LLVM has given its final form, 0 if
  /// the assembler still does that.
  unsigned BranchReach;

  /// LLVM's names of instructions that only print a directive, but do not say
  /// that they are no code.
  llvm::ArrayRef<llvm::StringLiteral> Directives;

  /// LLVM's names of instructions that are landing pads besides what else they
  /// do. The site comes before them, and before it, in functions with the
  /// attribute that asks for landing pads, one of its own.
  llvm::ArrayRef<llvm::StringLiteral> ImpliedLandingPads;
  llvm::StringLiteral LandingPadAttribute;
  llvm::ArrayRef<CodeTemplate> OwnLandingPad;

  /// Size of the site and its instructions. If \p PadBranch is given, it ends
  /// with a branch to the pad: that opcode, then the displacement as a byte.
  unsigned SiteSize;
  llvm::ArrayRef<CodeTemplate> Site;
  std::optional<uint8_t> PadBranch;

  /// Registers that the site changes, armed or not.
  llvm::ArrayRef<llvm::StringLiteral> SiteRegisters;

  /// What encloses the site in assembly text, for assemblers that would make
  /// something else of its instructions.
  llvm::StringLiteral TextBefore;
  llvm::StringLiteral TextAfter;

  /// How arguments are assigned; the integer and the floating-point argument
  /// registers in order, by LLVM's names.
  CallingStandard Standard;
  llvm::ArrayRef<llvm::StringLiteral> IntegerRegisters;
  llvm::ArrayRef<llvm::StringLiteral> FloatRegisters;

  /// More registers in which LLVM's fastcc passes arguments.
  llvm::ArrayRef<llvm::StringLiteral> FastRegisters;

  /// Body of a function that passes the descriptor {0} to the weak function
  /// {2}, if that is there and if {0} is what the linker made of the weak
  /// symbol {1}. {3} is a label for it to use, {4} its own name.
  llvm::StringLiteral ModuleCall;
};

/// The row of a target, or null if the target has no row.
const SlotLayout *findSlotLayout(const llvm::Triple &TT);

/// The words between slot and entry that are not the pad.
struct PrefixWords {
  /// The kCFI hash, if the function has one, and what precedes it.
  std::optional<uint32_t> Hash;
  std::optional<uint8_t> HashOpcode;

  /// LLVM itself adds the two words of -fsanitize=function.
  bool SanitizerWords = false;
};

/// What the pass puts before the entry: slot, pad and hash, filled up in front
/// so that the function's first byte can be aligned to \p Alignment.
llvm::SmallVector<uint8_t> layOutPrefix(const SlotLayout &Layout,
                                        const PrefixWords &Words,
                                        llvm::Align Alignment);

/// Where the pad is, relative to the entry.
int padOffset(const PrefixWords &Words);

/// The hash as callers check it.
uint32_t maskHash(const SlotLayout &Layout, uint32_t Hash);

} // namespace patchbay

#endif
