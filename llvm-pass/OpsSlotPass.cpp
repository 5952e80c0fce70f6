// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "SitePrinter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/CodeGen/GCMetadata.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"

using namespace llvm;
using namespace patchbay;

namespace {

/// Adds slots to the functions of a module.
class OpsSlotPass : public MachineFunctionPass {
  SiteTable *Table = nullptr;
  /// Why the module has no slots, or an empty string if functions can have
  /// slots. The pass sets it at the module's first function.
  std::optional<std::string> Refusal;
  Requests Requested;
  /// The number of functions with a slot, and the numbers of functions without
  /// a slot, by reason. The numbers leave out synthesized functions.
  unsigned NumInstrumented = 0;
  MapVector<StringRef, unsigned> Skipped;
  bool ForbiddenByFlags = false;

  bool accepts(MachineFunction &MF);
  bool skip(const MachineFunction &MF, StringRef Reason) {
    if (!isSynthesized(MF.getFunction()))
      ++Skipped[Reason];
    remarkSkipped(MF, Reason);
    return false;
  }

public:
  static char ID;
  OpsSlotPass() : MachineFunctionPass(ID) {}
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<GCModuleInfo>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool doInitialization(Module &M) override;
  bool runOnMachineFunction(MachineFunction &MF) override;

  /// Warns if no function got a slot because of a command line option. With
  /// -patchbay-require, reports an error if no function got a slot.
  bool doFinalization(Module &M) override;
  StringRef getPassName() const override { return "Patchbay slots"; }
  MachineFunctionProperties getRequiredProperties() const override {
    return MachineFunctionProperties().setNoVRegs();
  }
};

} // namespace

/// Whether the module's own assembly contains \p Name.
static bool isInModuleAsm(const Module &M, StringRef Name) {
#if LLVM_VERSION_MAJOR >= 23
  return any_of(M.getModuleInlineAsm(), [&](const Module::GlobalAsmFragment &F) {
    return StringRef(F.Asm).contains(Name);
  });
#else
  return StringRef(M.getModuleInlineAsm()).contains(Name);
#endif
}

/// Adds the module descriptor and the data that it refers to. If the module's
/// own assembly contains the name of the stubs, the stubs get another name and
/// sites do not refer to the stubs. If the program itself defines one of the
/// names, reports an error and returns false.
static bool addModuleData(Module &M, SiteTable &Table) {
  const bool HasStubs = Table.Layout->Code;
  std::string Stubs = HasStubs ? PATCHBAY_X86_64_STUBS_SYMBOL : "";
  for (StringRef Name : {StringRef(PATCHBAY_MODULE_SYMBOL), StringRef(Stubs)})
    if (const GlobalValue *Taken = M.getNamedValue(Name);
        Taken && !Taken->isDeclarationForLinker()) {
      error(M, M.getSourceFileName() + ": it defines '" + Name +
                   "', a name that Patchbay reserves");
      return false;
    }
  const bool IsTaken = HasStubs && isInModuleAsm(M, Stubs);
  if (IsTaken)
    Stubs += ".own";
  Table.ZeroSites = IsTaken || options().ZeroSites;
  Table.Data.add(M, *Table.Layout, Stubs, HasStubs && !Table.ZeroSites);
  return true;
}

/// glibc's functions that find the calling module or namespace by the return
/// address.
static constexpr StringLiteral AskWhoCalled[] = {"dlsym", "dlvsym", "dlopen",
                                                 "dlmopen", "dl_iterate_phdr"};

/// Prevents tail calls of the functions in AskWhoCalled, except guaranteed tail
/// calls. Returns whether the module changed.
///
/// A tail-called function returns to its caller's caller. While a tracer of
/// exits is armed on the caller, that return address is in a trampoline, and
/// glibc would find the wrong module.
static bool keepLoaderCalls(Module &M) {
  bool Changed = false;
  for (StringRef Name : AskWhoCalled)
    if (Function *Callee = M.getFunction(Name))
      for (User *U : Callee->users())
        if (auto *Call = dyn_cast<CallInst>(U);
            Call && Call->getCalledOperand() == Callee && !Call->isMustTailCall()) {
          Call->setTailCallKind(CallInst::TCK_NoTail);
          Changed = true;
        }
  return Changed;
}

bool OpsSlotPass::doInitialization(Module &M) {
  Refusal.reset();
  Requested = Requests();
  NumInstrumented = 0;
  Skipped.clear();
  ForbiddenByFlags = false;
  // Remove the notes even with -patchbay-disable: the user wants no slots, so
  // the linker must not warn.
  bool Changed = removeBitcodeNotes(M);
  if (options().Disable)
    return Changed;
  // Create the strategy here, before the printer needs it: LLVM initializes
  // passes in the order in which they run.
  auto *Strategies = getAnalysisIfAvailable<GCModuleInfo>();
  GCStrategy *Strategy = Strategies->getGCStrategy(PassName);
  Table = &static_cast<SiteStrategy *>(Strategy)->Table;
  *Table = SiteTable();
  Table->KernelMode = isKernelMode(M);
  Table->Layout = findSlotLayout(M.getTargetTriple());
  const TargetMachine &TM =
      getAnalysisIfAvailable<MachineModuleInfoWrapperPass>()->getMMI().getTarget();
  if (Table->KernelMode || !whyNotModule(TM, Table->Layout).empty())
    return Changed;
  if (any_of(M, [](const Function &F) { return !F.isDeclarationForLinker(); }) &&
      !addModuleData(M, *Table))
    Refusal = "the file defines a name that Patchbay reserves";
  return Changed | keepLoaderCalls(M);
}

/// Looks up the layout's names of instructions and registers. Returns false if
/// LLVM does not know a name.
static bool resolveNames(SiteTable &Table, const MachineFunction &MF) {
  const SlotLayout &Layout = *Table.Layout;
  const MCInstrInfo &Instructions = *MF.getSubtarget().getInstrInfo();
  const MCRegisterInfo &All = *MF.getSubtarget().getRegisterInfo();
  ArgumentRegisters &Registers = Table.Registers;
  return buildInstructions(Layout.Site, Instructions, All, Table.SiteCode) &&
         buildInstructions(Layout.OwnLandingPad, Instructions, All,
                           Table.LandingPadCode) &&
         findRegisters(Layout.IntegerRegisters, All, Registers.Integer) &&
         findRegisters(Layout.FloatRegisters, All, Registers.Float) &&
         findRegisters(Layout.OtherKeptRegisters, All, Registers.OtherKept) &&
         findRegisters(Layout.ScratchRegisters, All, Registers.Scratch);
}

/// Whether functions of the module can have slots. At the module's first
/// function, reads the lists, decides, and warns.
bool OpsSlotPass::accepts(MachineFunction &MF) {
  if (Refusal)
    return Refusal->empty();
  const TargetMachine &TM = MF.getTarget();
  Module &M = *MF.getFunction().getParent();
  Refusal = whyNotModule(TM, Table->Layout);
  if (Refusal->empty() && !Table->KernelMode && !resolveNames(*Table, MF))
    Refusal = "this LLVM has other names of instructions or registers; "
              "nothing is instrumented";
  if (Refusal->empty() && Table->KernelMode && hasOnlyPrefixes(M))
    Refusal = "-fpatchable-function-entry=N,N puts no NOP at entries; "
              "nothing is instrumented";
  if (!Refusal->empty())
    warn(M, *Refusal);
  else if (Refusal = Requested.read(M, Table->KernelMode); !Refusal->empty())
    error(M, *Refusal);
  if (Refusal->empty() && Table->KernelMode) {
    dropPrefixes(M);
    if (Requested.exist())
      warn(M, "in kernel mode all functions with NOPs at the entry have a "
              "slot: lists, annotations and the threshold have no effect");
  }
  if (Refusal->empty())
    warnIfMixed(M);
  if (StringRef(TM.Options.MCOptions.CommandlineArgs)
          .contains("-plugin-arg-patchbay"))
    warn(M, "-fplugin-arg-patchbay-... has no effect: use "
            "-Xclang -mllvm -Xclang -patchbay-...");
  return Refusal->empty();
}

bool OpsSlotPass::runOnMachineFunction(MachineFunction &MF) {
  if (options().Disable)
    return false;
  ModuleData &Data = Table->Data;
  if (Data.contains(MF.getFunction())) {
    // The constructor and destructor come after all functions that may have
    // slots. If llc reads the module from machine IR, they have no body.
    if (Table->Mode != PATCHBAY_MODE_USER || MF.empty())
      Data.drop();
    return false;
  }
  if (!accepts(MF))
    return skip(MF, *Refusal);
  const Choice Chosen = choose(MF, *Table, Requested);
  if (!Chosen.Instrument) {
    ForbiddenByFlags |= Chosen.ForbiddenByFlags;
    skip(MF, Chosen.Reason);
    const Function &F = MF.getFunction();
    if (Table->KernelMode && hasEntryNOPs(F))
      error(*F.getParent(), F.getName() + ": LLVM's table lists its entry, but "
                                          "it has no slot: " + Chosen.Reason);
    return false;
  }
  unsigned PrefixSize = emitSlot(
      MF, getAnalysis<MachineModuleInfoWrapperPass>().getMMI(), *Table);
  if (!Table->KernelMode && !Table->Mode)
    Data.use();
  Table->Mode = Table->KernelMode ? PATCHBAY_MODE_KERNEL : PATCHBAY_MODE_USER;
  remarkInstrumented(MF, PrefixSize, Table->KernelMode, Chosen.Reason);
  // For -patchbay-require, a slot of a sanitizer's constructor does not count.
  NumInstrumented += !isSynthesized(MF.getFunction());
  return true;
}

bool OpsSlotPass::doFinalization(Module &M) {
  // Do not warn if a list names the file under [never], if the file has no
  // functions, or after an error.
  if (NumInstrumented || Skipped.empty() || Requested.leaveModuleAlone() ||
      M.getContext().getDiagHandlerPtr()->HasErrors)
    return false;
  std::string Reasons;
  for (auto [Reason, Count] : Skipped)
    Reasons += formatv("{0}{1} ({2})", Reasons.empty() ? "" : "; ", Reason,
                       Count);
  if (options().Require)
    error(M, Twine(M.getSourceFileName()) +
                 ": -patchbay-require: no function has a slot: " + Reasons);
  else if (ForbiddenByFlags)
    warn(M, "no function has a slot: " + Reasons);
  return false;
}

char OpsSlotPass::ID = 0;
char &patchbay::OpsSlotPassID = OpsSlotPass::ID;

INITIALIZE_PASS(OpsSlotPass, PassName, "Patchbay slots", false, false)
