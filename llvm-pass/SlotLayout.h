// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass knows about a target, as data. A new target is a new file in
// Targets and a line in findSlotLayout(). Nothing else in the pass names a target.
#ifndef PATCHBAY_LLVM_PASS_SLOTLAYOUT_H
#define PATCHBAY_LLVM_PASS_SLOTLAYOUT_H

#include "MachineCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/Support/Alignment.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <optional>

struct patchbay_record;

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace patchbay {

/// A landing pad instruction: LLVM's name and, if there is one name for several
/// instructions, the first operand, which tells it from the others.
struct LandingPad {
  llvm::StringLiteral Name;
  std::optional<CodeOperand> Operand;
};

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

/// Stubs, of StubsSize bytes, then trampolines, and their unwind information.
struct ModuleCode {
  CodeSection Text, ExceptTable, Frames;
  unsigned StubsSize = 0;
};

/// The defaults are those of a target that lacks what a field describes.
struct SlotLayout {
  /// Four bytes of return instructions, little endian: the pad.
  uint32_t PadWord = 0;

  /// Fills what alignment asks for in front of the slot; never executed.
  uint8_t FillByte = 0;

  /// The opcode that LLVM puts directly before the hash, in a pad's place. With
  /// kcfi-arity the function's arity is added to it.
  std::optional<uint8_t> HashOpcode;

  /// LLVM's names of the classes of the registers that count for that.
  llvm::ArrayRef<llvm::StringLiteral> ArityClasses;

  /// Whether kCFI checks become ordinary instructions as early as in IR.
  bool LowersKCFIInIR = false;

  /// A hash with one of these values, or the negative of one, is bumped by one
  /// so that it is not a landing pad; mirrors what callers check.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions that a site must leave at the entry, and
  /// their size.
  llvm::ArrayRef<LandingPad> LandingPads;
  unsigned LandingPadSize = 0;

  /// LLVM's name of the pass behind which landing pads are in place and
  /// branches have their final form.
  llvm::StringLiteral Behind = "";

  /// The shortest reach of a branch that LLVM has given its final form, 0 if
  /// the assembler still does that.
  unsigned BranchReach = 0;

  /// LLVM's names of instructions that only print a directive, but do not say
  /// that they are no code.
  llvm::ArrayRef<llvm::StringLiteral> Directives;

  /// LLVM's names of instructions that are landing pads besides what else they
  /// do. The site comes before them, and before it, in functions with the
  /// attribute that asks for landing pads, one of its own.
  llvm::ArrayRef<llvm::StringLiteral> ImpliedLandingPads;
  llvm::StringLiteral LandingPadAttribute = "";
  llvm::ArrayRef<CodeTemplate> OwnLandingPad;

  /// Size of the site and its instructions.
  unsigned SiteSize = 0;
  llvm::ArrayRef<CodeTemplate> Site;

  /// If \p StubOpcode is given, it is that opcode and, as the operand of \p Site, how
  /// far a stub is from behind it, in four bytes; then the opcode \p PadBranch and
  /// how far the pad is, in one byte.
  std::optional<uint8_t> StubOpcode, PadBranch;

  /// Common information entry of .eh_frame for pads, where threads execute them.
  llvm::StringRef PadFrame;

  /// The symbol of the module's stubs, the size of each, and the number of the
  /// one that a function's site leads to.
  llvm::StringLiteral StubsSymbol = "";
  unsigned StubSize = 0, NumStubs = 0;
  unsigned (*StubOf)(const patchbay_record *R, int BehindPad) = nullptr;

  /// The stubs and the module's own trampolines, for runtimes with the layout of
  /// this number; and how many bytes their table has.
  ModuleCode Code;
  unsigned TrampolinesLayout = 0, TableSize = 0;

  /// Registers that a site or a trampoline changes and that an option of the
  /// compiler's (-ffixed-) can give to the program.
  llvm::ArrayRef<llvm::StringLiteral> ScratchRegisters;

  /// What encloses the site in assembly text, for assemblers that would make
  /// something else of its instructions.
  llvm::StringLiteral TextBefore = "";
  llvm::StringLiteral TextAfter = "";

  /// LLVM's name of the oldest processor, if code for it can call all others.
  llvm::StringLiteral OldestProcessor = "";

  /// Why no function of a module can have a slot, as far as only this target
  /// has the reason: null if they can. No function if it has no such reason.
  const char *(*WhyNotModule)(const llvm::TargetMachine &TM) = nullptr;

  /// How the target's C convention may be called besides C.
  llvm::CallingConv::ID NameOfC = llvm::CallingConv::C;

  /// The feature of functions whose code cannot be read; empty if there is none.
  llvm::StringLiteral ExecuteOnlyFeature = "";

  /// What the names of attributes begin with that put a function into a mode
  /// of the processor in which a tracer cannot run; empty if there is none.
  llvm::StringLiteral ModeAttributes = "";

  /// Whether the address of a result in memory is the first argument or has a
  /// register of its own.
  bool ResultPointerIsArgument = true;

  /// Where arguments on the stack begin, from the stack pointer at the entry as
  /// LLVM's fixed objects count it; and whether fastcc puts them there as C does.
  int64_t StackArgumentsOffset = 0;
  bool FastStackIsC = true;

  /// The integer and the floating-point argument registers in order, by LLVM's
  /// names.
  llvm::ArrayRef<llvm::StringLiteral> IntegerRegisters;
  llvm::ArrayRef<llvm::StringLiteral> FloatRegisters;

  /// How many registers of a result tracers of exits keep: integer ones, and
  /// floating-point ones, which may be those of vectors.
  unsigned ResultIntegers = 2, ResultFloats = 2;
  bool ResultVectors = true;

  /// What trampolines keep of an entry's registers besides those above and
  /// those that each function of the C convention keeps.
  llvm::ArrayRef<llvm::StringLiteral> OtherKeptRegisters;
};

/// What is known about a target; null if it has no slots.
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
