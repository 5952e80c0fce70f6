// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass knows about a target, as data. A new target is a new file in
// Targets and a line in findSlotLayout().
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

/// In bytes that are assembled when the pass is built (embed-code.py): four of them
/// say how far something is from them.
struct CodeFixup {
  unsigned Offset;
  enum { Text, ExceptTable, Links, Personality } Target;
  int Addend;
};

struct CodeSection {
  llvm::ArrayRef<uint8_t> Bytes;
  llvm::ArrayRef<CodeFixup> Fixups;
};

/// What sites of x86-64 lead to: stubs, of StubsSize bytes, then trampolines, and
/// their unwind information.
struct ModuleCode {
  CodeSection Text, ExceptTable, Frames;
  unsigned StubsSize;

  /// Common information entry of .eh_frame for pads, where threads execute them.
  llvm::StringRef PadFrame;
};

/// The size of a landing pad on every target.
inline constexpr unsigned LandingPadSize = 4;

/// The defaults are those of a target that lacks what a field describes.
/// Instructions and registers have LLVM's names (MachineCode.h).
struct SlotLayout {
  /// Four bytes of return instructions, little endian: the pad.
  uint32_t PadWord = 0;

  /// Fills what alignment asks for in front of the slot; never executed. Zeros are
  /// illegal instructions.
  uint8_t FillByte = 0;

  /// The opcode that LLVM puts directly before the hash, in a pad's place. With
  /// kcfi-arity the function's arity is added to it. The classes of the registers
  /// that count for that.
  std::optional<uint8_t> HashOpcode;
  llvm::StringRef ArityClasses;

  /// Whether kCFI checks become ordinary instructions as early as in IR.
  bool LowersKCFIInIR = false;

  /// A hash with one of these values, or the negative of one, is bumped by one
  /// so that it is not a landing pad; mirrors what callers check.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions that a site must leave at the entry.
  llvm::StringRef LandingPads;

  /// The pass behind which landing pads are in place and branches have their final
  /// form.
  llvm::StringRef Behind;

  /// The shortest reach of a branch that LLVM has given its final form, 0 if
  /// the assembler still does that.
  unsigned BranchReach = 0;

  /// Instructions that only print a directive, but do not say that they are no code.
  llvm::StringRef Directives;

  /// Instructions that are landing pads besides what else they do. The site comes
  /// before them, and before it, in functions with the attribute that asks for
  /// landing pads, one of its own.
  llvm::StringRef ImpliedLandingPads, LandingPadAttribute, OwnLandingPad;

  /// The site: its size and its instructions, but for what leads to a stub.
  unsigned SiteSize = 0;
  llvm::StringRef Site;

  /// What sites lead to; null if they have no such operand.
  const ModuleCode *Code = nullptr;

  /// Registers that a site or a trampoline changes and that an option of the
  /// compiler's (-ffixed-) can give to the program.
  llvm::StringRef ScratchRegisters;

  /// What encloses the site in assembly text, for assemblers that would make
  /// something else of its instructions.
  llvm::StringRef TextBefore, TextAfter;

  /// The oldest processor, if code for it can call all others.
  llvm::StringRef OldestProcessor;

  /// Why no function of a module can have a slot, as far as only this target
  /// has the reason: null if they can. No function if it has no such reason.
  const char *(*WhyNotModule)(const llvm::TargetMachine &TM) = nullptr;

  /// How the target's C convention may be called besides C.
  llvm::CallingConv::ID NameOfC = llvm::CallingConv::C;

  /// The feature of functions whose code cannot be read; empty if there is none.
  llvm::StringRef ExecuteOnlyFeature;

  /// What the names of attributes begin with that put a function into a mode
  /// of the processor in which a tracer cannot run; empty if there is none.
  llvm::StringRef ModeAttributes;

  /// Whether the address of a result in memory is the first argument or has a
  /// register of its own.
  bool ResultPointerIsArgument = true;

  /// Where arguments on the stack begin, from the stack pointer at the entry as
  /// LLVM's fixed objects count it; and whether fastcc puts them there as C does.
  int64_t StackArgumentsOffset = 0;
  bool FastStackIsC = true;

  /// The integer and the floating-point argument registers in order.
  llvm::StringRef IntegerRegisters, FloatRegisters;

  /// How many registers of a result tracers of exits keep: integer ones, and
  /// floating-point ones, which may be those of vectors.
  unsigned ResultIntegers = 2, ResultFloats = 2;
  bool ResultVectors = true;

  /// What trampolines keep of an entry's registers besides those above and
  /// those that each function of the C convention keeps.
  llvm::StringRef OtherKeptRegisters;
};

/// What is known about a target; null if it has no slots.
const SlotLayout *findSlotLayout(const llvm::Triple &TT);

} // namespace patchbay

#endif
