// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces between the pass's files.
#ifndef PATCHBAY_LLVM_PASS_PASS_H
#define PATCHBAY_LLVM_PASS_PASS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct patchbay_record;

namespace llvm {
class MachineModuleInfo;
class PassRegistry;
void initializeOpsSlotPassPass(PassRegistry &);
} // namespace llvm

namespace patchbay {

struct SiteTable;

/// The pass's name: -Rpass=patchbay, llc -run-pass=patchbay.
inline constexpr char PassName[] = "patchbay";

/// Identifies the machine pass, which adds slots to the functions of a module.
extern char &OpsSlotPassID;

// SlotLayout.cpp: properties of targets, as data. A new target is a new
// function there and a line in findSlotLayout().

/// A fixup in code that is assembled when the pass is built (embed-code.py): a
/// 32-bit PC-relative reference to the target.
struct CodeFixup {
  unsigned Offset;
  enum { Text, ExceptTable, Links, Personality } Target;
  int Addend;
};

struct CodeSection {
  llvm::ArrayRef<uint8_t> Bytes;
  llvm::ArrayRef<CodeFixup> Fixups;
};

/// The code that x86-64 sites call: StubsSize bytes of stubs, then trampolines;
/// and the unwind information of this code.
struct ModuleCode {
  CodeSection Text, ExceptTable, Frames;
  unsigned StubsSize;

  /// The common information entry in .eh_frame for pads that threads execute.
  llvm::StringRef PadFrame;
};

/// The size of a landing pad on every target.
inline constexpr unsigned LandingPadSize = 4;

/// The properties of a target. A field that a target does not set has the
/// default.
struct SlotLayout {
  /// The pad: four bytes of return instructions, as a little-endian number.
  uint32_t PadWord = 0;

  /// The padding that aligns the slot, which is never executed. The default, 0,
  /// is an illegal instruction on AArch64, ppc64le and riscv64.
  uint8_t FillByte = 0;

  /// The opcode that LLVM puts directly before the hash, where the pad's last
  /// byte would be. With kcfi-arity LLVM adds the function's arity to the
  /// opcode: the number of arguments in registers of ArityClasses.
  std::optional<uint8_t> HashOpcode;
  llvm::StringRef ArityClasses;

  /// Whether LLVM lowers kCFI checks to ordinary instructions in IR.
  bool LowersKCFIInIR = false;

  /// Hashes that would be landing pads. LLVM increments a hash that equals one
  /// of these values or its negative, in callers' checks, too.
  llvm::ArrayRef<uint32_t> ReservedHashes;

  /// The landing pad instructions, which must stay before the site.
  llvm::StringRef LandingPads;

  /// The pass after which landing pads are in place and branches have their
  /// final size.
  llvm::StringRef InsertAfter;

  /// The shortest reach of branches whose encoding LLVM has already chosen; 0
  /// if the assembler chooses it.
  unsigned BranchReach = 0;

  /// Instructions that only print a directive, but that LLVM does not count as
  /// meta instructions.
  llvm::StringRef Directives;

  /// Instructions that are landing pads and have another purpose (paciasp). The
  /// site comes before such an instruction. If the function has
  /// LandingPadAttribute, the pass adds OwnLandingPad before the site.
  llvm::StringRef ImpliedLandingPads, LandingPadAttribute, OwnLandingPad;

  /// The site: its size, and its instructions without the reference to a stub.
  /// If BranchReach is not 0, the last instruction is a NOP of four bytes.
  unsigned SiteSize = 0;
  llvm::StringRef Site;

  /// The stubs and trampolines of a module (x86-64), or null.
  const ModuleCode *Code = nullptr;

  /// Registers that a site or a trampoline changes, and that the program can
  /// reserve with -ffixed-REGISTER.
  llvm::StringRef ScratchRegisters;

  /// Directives around the site in assembly output, which keep assemblers from
  /// rewriting the site's instructions.
  llvm::StringRef TextBefore, TextAfter;

  /// The target's oldest CPU; empty if the ABI depends on the CPU's features.
  llvm::StringRef OldestProcessor;

  /// The feature of functions with unreadable code; empty if there is none.
  llvm::StringRef ExecuteOnlyFeature;

  /// Whether the address of a result in memory is passed as the first argument,
  /// not in a register of its own.
  bool ResultPointerIsArgument = true;

  /// The offset of stack arguments from the stack pointer at the entry, as
  /// MachineFrameInfo counts it; and whether fastcc uses the same offsets as C.
  int64_t StackArgumentsOffset = 0;
  bool FastStackIsC = true;

  /// The integer and the floating-point argument registers in order.
  llvm::StringRef IntegerRegisters, FloatRegisters;

  /// How many floating-point result registers tracers of exits keep, besides
  /// two integer registers; and whether these tracers keep vector registers.
  unsigned ResultFloats = 2;
  bool ResultVectors = true;

  /// The registers that trampolines keep, besides argument registers and the
  /// callee-saved registers of the C convention.
  llvm::StringRef OtherKeptRegisters;
};

/// Returns the layout of a target, or null if the target cannot have slots.
const SlotLayout *findSlotLayout(const llvm::Triple &TT);

// Diagnostics.cpp

/// Warns by LLVM's diagnostics, so that clang's -W(no-)backend-plugin and
/// -Werror=backend-plugin apply.
void warn(const llvm::Module &M, const llvm::Twine &Message);

/// Warns about a function, with its line if there is debug information.
void warn(const llvm::Function &F, const llvm::Twine &Message);

/// Reports an error. The compilation fails when code generation is done.
void error(const llvm::Module &M, const llvm::Twine &Message);

/// \p Reason is the request that selected the function, or null if there was
/// none.
void remarkInstrumented(const llvm::MachineFunction &MF, unsigned PrefixSize,
                        bool KernelMode, const char *Reason);
void remarkSkipped(const llvm::MachineFunction &MF, llvm::StringRef Reason);

// Requests.cpp: the functions that the user includes or excludes, by attributes
// in the source and by name in lists. An XRay src: entry is an error, because
// it selects by source file, which code generation knows only with -g.

struct Request {
  enum { None, Never, Always } Wish = None;
  /// The source of the request, for remarks.
  const char *Reason = nullptr;
  /// Whether the request names the function, not the whole file.
  bool OfFunction = false;
};

class Requests {
  std::vector<std::unique_ptr<llvm::SpecialCaseList>> Lists;
  Request OfModule;
  llvm::SetVector<const llvm::Function *> AnnotatedAlways, AnnotatedNever;

  void readAnnotations(const llvm::Module &M, bool KernelMode);
  const char *whyNever(const llvm::Function &F) const;
  bool isListed(llvm::StringRef Section, llvm::StringRef Entry,
                llvm::StringRef Name) const;
  bool isListed(llvm::StringRef Section, const llvm::Function &F) const;

public:
  /// Reads the requests that all functions of a module share. Returns an error
  /// message, or an empty string.
  std::string read(const llvm::Module &M, bool KernelMode);

  /// Whether a list names the module's file under [never].
  bool leaveModuleAlone() const { return OfModule.Wish == Request::Never; }

  /// Whether there are annotations, lists or a threshold.
  bool exist() const;

  /// Returns the request for a function. Attributes override a list's fun
  /// entries, and fun entries override mainfile entries. Among attributes
  /// "never" overrides "always"; in a list "always" overrides "never".
  Request find(const llvm::Function &F) const;
};

// Selection.cpp: the functions that get a slot

/// Returns why no function of a module can have a slot, or an empty string.
std::string whyNotModule(const llvm::TargetMachine &TM,
                         const SlotLayout *Layout);

/// Whether -fpatchable-function-entry puts NOPs at the function's entry, which
/// LLVM's table then lists.
bool hasEntryNOPs(const llvm::Function &F);

/// Whether LLVM synthesized a function, for CFI, a sanitizer or a profile. The
/// user's options and attributes do not apply to synthesized functions.
bool isSynthesized(const llvm::Function &F);

struct Choice {
  bool Instrument;
  const char *Reason; // null if the function gets a slot by default
  /// Whether a command line option prevents the slot, although no request
  /// excludes the function.
  bool ForbiddenByFlags = false;
};

/// Decides whether a function gets a slot: first by obstacles, then, in user
/// mode, by the user's requests and by the threshold.
Choice choose(const llvm::MachineFunction &MF, const SiteTable &Table,
              const Requests &Requested);

// SlotEmitter.cpp

/// Gives \p MF a slot. In user mode also marks its site and adds the site to
/// \p Table for the printer. Returns the size of the prefix.
unsigned emitSlot(llvm::MachineFunction &MF, llvm::MachineModuleInfo &MMI,
                  SiteTable &Table);

// Arguments.cpp

/// A target's argument registers in order, the other registers that trampolines
/// keep, and the registers that trampolines and sites change.
struct ArgumentRegisters {
  llvm::SmallVector<llvm::MCRegister> Integer, Float, OtherKept, Scratch;
};

/// Sets the last four bytes of \p Record: where the calling convention puts the
/// arguments and the result, so that a tracer can pass them on.
void describeArguments(const llvm::MachineFunction &MF,
                       llvm::MachineModuleInfo &MMI, const SlotLayout &Layout,
                       const ArgumentRegisters &Registers,
                       patchbay_record &Record);

// MachineCode.cpp: instructions and registers by name. LLVM does not install
// the headers that declare a target's opcodes and registers, but every target
// has tables of the names.
//
// A string lists instructions, separated by `;`. An instruction is LLVM's name
// of the opcode and the operands (registers and decimal numbers), separated by
// spaces.

/// Appends the instructions of \p Code to \p Built. Returns false if LLVM does
/// not know a name.
bool buildInstructions(llvm::StringRef Code,
                       const llvm::MCInstrInfo &Instructions,
                       const llvm::MCRegisterInfo &Registers,
                       llvm::SmallVectorImpl<llvm::MCInst> &Built);

/// Appends the registers that \p Names lists, separated by spaces. Returns
/// false if LLVM does not know a name.
bool findRegisters(llvm::StringRef Names, const llvm::MCRegisterInfo &Registers,
                   llvm::SmallVectorImpl<llvm::MCRegister> &Found);

/// Whether \p MI is one of the instructions in \p Code, which gives the opcode,
/// or the opcode and the first operand, of each.
bool isOneOf(const llvm::MachineInstr &MI, llvm::StringRef Code);

// KernelMode.cpp: in kernel mode LLVM emits the NOPs at a function's entry and
// their table. The slot replaces the NOPs before the entry.

/// Whether -patchbay-mode selects kernel mode. With the default, auto, the
/// module is in kernel mode if all functions that could be traced have
/// -fpatchable-function-entry.
bool isKernelMode(const llvm::Module &M);

/// Warns if the user has not selected a mode and only some of a module's
/// functions have -fpatchable-function-entry, because of an attribute in the
/// source or because LTO merged files.
void warnIfMixed(const llvm::Module &M);

/// Whether functions have NOPs before the entry, but no function has NOPs at
/// the entry (-fpatchable-function-entry=N,N). Such functions cannot be traced,
/// and a slot would replace the NOPs that LLVM's table lists.
bool hasOnlyPrefixes(const llvm::Module &M);

/// Removes the NOPs before functions with a slot. With kCFI also removes the
/// NOPs before other functions: callers read the hash at the same distance from
/// every entry, NOPs would increase the distance, and slots fix it.
void dropPrefixes(llvm::Module &M);

/// Calls dropPrefixes() before LLVM lowers kCFI checks in IR. The lowering
/// refuses functions with NOPs before the entry, and clang 22 then crashes.
struct DropPrefixesPass : llvm::PassInfoMixin<DropPrefixesPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// BitcodeNote.cpp: marks bitcode that was compiled with the plugin

/// Adds the note (abi.h, PATCHBAY_NOTE_BITCODE) to a module that defines
/// functions.
struct AddBitcodeNotePass : llvm::PassInfoMixin<AddBitcodeNotePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

/// Removes the notes of all files that were merged into the module. Returns
/// whether there were notes.
bool removeBitcodeNotes(llvm::Module &M);

} // namespace patchbay

#endif
