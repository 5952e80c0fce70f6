// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of targets, as data. A new target is a new function in
// SlotLayout.cpp and a line in findSlotLayout().
#ifndef PATCHBAY_LLVM_PASS_SLOTLAYOUT_H
#define PATCHBAY_LLVM_PASS_SLOTLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <optional>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace patchbay {

/// A place in bytes that are assembled when the pass is built (embed-code.py):
/// four bytes, the distance of the target from them.
struct CodeFixup {
  unsigned Offset;
  enum { Text, ExceptTable, Links, Personality } Target;
  int Addend;
};

struct CodeSection {
  llvm::ArrayRef<uint8_t> Bytes;
  llvm::ArrayRef<CodeFixup> Fixups;
};

/// The targets of x86-64 sites: stubs of StubsSize bytes, then trampolines, and
/// their unwind information.
struct ModuleCode {
  CodeSection Text, ExceptTable, Frames;
  unsigned StubsSize;

  /// The common information entry in .eh_frame for pads that threads execute.
  llvm::StringRef PadFrame;
};

/// The size of a landing pad on every target.
inline constexpr unsigned LandingPadSize = 4;

/// The default of a field is for targets that lack the property. Instructions
/// and registers have LLVM's names (MachineCode.h).
struct SlotLayout {
  /// Four bytes of return instructions, little endian: the pad.
  uint32_t PadWord = 0;

  /// Fills the space that alignment needs before the slot; never executed.
  /// Zeros are illegal instructions.
  uint8_t FillByte = 0;

  /// The opcode that LLVM puts directly before the hash, instead of a byte of
  /// the pad. With kcfi-arity LLVM adds the function's arity to it; registers
  /// of ArityClasses count.
  std::optional<uint8_t> HashOpcode;
  llvm::StringRef ArityClasses;

  /// Whether LLVM lowers kCFI checks to ordinary instructions in IR.
  bool LowersKCFIInIR = false;

  /// A hash that equals one of these values or its negative is incremented, so
  /// that it is not a landing pad. Callers' checks do the same.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions that a site must leave at the entry.
  llvm::StringRef LandingPads;

  /// The pass after which landing pads are in place and branches have their
  /// final size.
  llvm::StringRef Behind;

  /// The shortest reach of a branch whose form LLVM has fixed, 0 if the
  /// assembler still chooses the form.
  unsigned BranchReach = 0;

  /// Instructions that only print a directive, but are no meta instructions.
  llvm::StringRef Directives;

  /// Instructions that are landing pads and do something else, too. The site
  /// comes before them. In functions with LandingPadAttribute OwnLandingPad
  /// comes before the site.
  llvm::StringRef ImpliedLandingPads, LandingPadAttribute, OwnLandingPad;

  /// The site: its size, and its instructions without the reference to a stub. If
  /// BranchReach is not 0, the last one is a NOP of four bytes.
  unsigned SiteSize = 0;
  llvm::StringRef Site;

  /// The targets of sites; null if sites have no such operand.
  const ModuleCode *Code = nullptr;

  /// Registers that a site or a trampoline changes, and that a compiler option
  /// (-ffixed-) can reserve for the program.
  llvm::StringRef ScratchRegisters;

  /// Text around the site in assembly output, for assemblers that would
  /// otherwise rewrite its instructions.
  llvm::StringRef TextBefore, TextAfter;

  /// The oldest processor, if code for it can call all others.
  llvm::StringRef OldestProcessor;

  /// Returns why no function of a module can have a slot for a reason that only
  /// this target has; null if they can. Unset if there is no such reason.
  const char *(*WhyNotModule)(const llvm::TargetMachine &TM) = nullptr;

  /// The second name of the target's C convention, besides C.
  llvm::CallingConv::ID NameOfC = llvm::CallingConv::C;

  /// The feature of functions with unreadable code; empty if there is none.
  llvm::StringRef ExecuteOnlyFeature;

  /// The common beginning of attributes that put a function into a CPU mode in
  /// which a tracer cannot run; empty if there is none.
  llvm::StringRef ModeAttributes;

  /// Whether the address of a result in memory is the first argument. Otherwise
  /// it has its own register.
  bool ResultPointerIsArgument = true;

  /// The start of arguments on the stack, from the stack pointer at the entry,
  /// in LLVM's terms of fixed objects; and whether fastcc puts them there like
  /// C.
  int64_t StackArgumentsOffset = 0;
  bool FastStackIsC = true;

  /// The integer and the floating-point argument registers in order.
  llvm::StringRef IntegerRegisters, FloatRegisters;

  /// How many result registers tracers of exits keep: integer ones, and
  /// floating-point ones, which may be vector registers.
  unsigned ResultIntegers = 2, ResultFloats = 2;
  bool ResultVectors = true;

  /// The other registers of an entry that trampolines keep, besides those above
  /// and those that each function of the C convention keeps.
  llvm::StringRef OtherKeptRegisters;
};

/// The layout of a target; null if the target has no slots.
const SlotLayout *findSlotLayout(const llvm::Triple &TT);

} // namespace patchbay

#endif
