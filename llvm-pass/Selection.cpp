// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "SitePrinter.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::whyNotModule(const TargetMachine &TM,
                                   const SlotLayout *Layout) {
  if (!Layout)
    return "target '" + TM.getTargetTriple().str() +
           "' has no slots; nothing is instrumented";
  // A record's fields are 32-bit PC-relative offsets.
  if (TM.getCodeModel() == CodeModel::Large)
    return "-mcmodel=large puts functions out of a record's reach; nothing is "
           "instrumented";
  if (TM.getCodeModel() == CodeModel::Kernel)
    return "-mcmodel=kernel: x86 kernels need the hash's symbol in the place of "
           "the slot; nothing is instrumented";
  if (TM.Options.MCOptions.getABIName() == "elfv1")
    return "-mabi=elfv1: symbols of functions are descriptors, not code; nothing "
           "is instrumented";
  // With IPRA a caller relies on registers that the callee does not change but
  // a tracer of the callee may change.
  if (TM.Options.EnableIPRA)
    return "interprocedural register allocation (-enable-ipra) does not expect "
           "tracers to change registers; nothing is instrumented";
  return {};
}

bool patchbay::hasEntryNOPs(const Function &F) {
  return F.getFnAttributeAsParsedInteger("patchable-function-entry");
}

bool patchbay::isSynthesized(const Function &F) {
  StringRef Name = F.getName();
  return Name.contains(".module_ctor") || Name.contains(".module_dtor") ||
         Name.starts_with(".cfi.jumptable") || Name.starts_with("__llvm_");
}

// Whether the function's calling convention is C's in all but registers: in
// other conventions, for example, the callee pops arguments.
static bool hasCConvention(const MachineFunction &MF) {
  const CallingConv::ID Convention = MF.getFunction().getCallingConv();
  return Convention == CallingConv::C ||
         Convention == CallingConv::X86_64_SysV ||
         (Convention == CallingConv::Fast &&
          !MF.getTarget().Options.GuaranteedTailCallOpt);
}

/// Returns a reason if tracing would change a register that the function or a
/// caller relies on, or null. Tracing keeps callee-saved registers, because a
/// handler is a C function, reserved registers, and \p Registers, which the
/// trampoline saves.
static const char *whyNotRegisters(const MachineFunction &MF,
                                   const ArgumentRegisters &Registers) {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  const uint32_t *KeptByC = TRI->getCallPreservedMask(MF, CallingConv::C);
  auto IsKept = [&](MCRegister Register) {
    auto Contains = [&](MCRegister Whole) {
      return TRI->isSubRegisterEq(Whole, Register);
    };
    return !MachineOperand::clobbersPhysReg(KeptByC, Register) ||
           MRI.isReserved(Register) ||
           any_of(Registers.Integer, Contains) ||
           any_of(Registers.Float, Contains) ||
           any_of(Registers.OtherKept, Contains);
  };
  // The entry block's list is newer: it shows register allocation. But only the
  // function's list is valid after passes that do not update blocks' lists.
  if (!all_of(MF.front().liveins(),
              [&](auto &LiveIn) { return IsKept(LiveIn.PhysReg); }) ||
      !all_of(MRI.liveins(), [&](auto &LiveIn) { return IsKept(LiveIn.first); }))
    return "an argument is in a register that tracers do not keep";
  for (const MCPhysReg *Saved = MRI.getCalleeSavedRegs(); *Saved; ++Saved)
    if (!IsKept(*Saved) || is_contained(Registers.Scratch, *Saved))
      return "its callers rely on registers that tracers change";
  return nullptr;
}

/// Whether a function has an AArch64 attribute for streaming mode or ZA state,
/// in which a tracer cannot run.
static bool usesMode(const Function &F) {
  return any_of(F.getAttributes().getFnAttrs(), [](Attribute A) {
    return A.isStringAttribute() && A.getKindAsString().starts_with("aarch64_");
  });
}

/// Returns why a function has no slot in kernel mode, or null. A function with
/// NOPs at its entry must have a slot, because the kernel expects a slot for
/// each entry in LLVM's table.
static const char *whyNotInKernel(const Function &F) {
  if (!F.hasFnAttribute("patchable-function-entry"))
    return "it has no -fpatchable-function-entry, which selects functions in kernel mode";
  if (!hasEntryNOPs(F))
    return "-fpatchable-function-entry puts all of its NOPs before the entry";
  return nullptr;
}

static const char *whyNotInUserMode(const MachineFunction &MF,
                                    const SiteTable &Table) {
  const Function &F = MF.getFunction();
  if (F.hasFnAttribute(Attribute::Naked))
    return "it is naked: the compiler must not change its entry";
  if (MF.isOutlined())
    return "it is outlined code: its callers may use any register";
  if (F.hasFnAttribute("interrupt"))
    return "it handles interrupts: any register may be in use at its entry";
  if (F.hasPrologueData())
    return "it has prologue data, which must be at the entry";
  if (any_of(F.getParent()->ifuncs(), [&](const GlobalIFunc &IFunc) {
        return IFunc.getResolverFunction() == &F;
      }))
    return "it is an ifunc resolver, which runs before relocation is done";
  if (!hasCConvention(MF))
    return "its calling convention is not C's";
  if (F.getName() == "__cfi_check")
    return "only the CFI runtime calls it, and it is aligned to a page";
  if (usesMode(F))
    return "it uses streaming mode or ZA state, in which a tracer cannot run";
  return whyNotRegisters(MF, Table.Registers);
}

/// Returns why the function itself prevents a slot, whatever the user requests,
/// or null.
static const char *whyNotFunction(const MachineFunction &MF,
                                  const SiteTable &Table) {
  const Function &F = MF.getFunction();
  if (MF.empty() || F.hasAvailableExternallyLinkage())
    return "it has no body in this object";
  if (F.hasPrefixData())
    return "it already has prefix data";
  return Table.KernelMode ? whyNotInKernel(F) : whyNotInUserMode(MF, Table);
}

/// Returns why command line options prevent a slot, whatever the user requests,
/// or null.
static const char *whyNotByFlags(const MachineFunction &MF,
                                 const SiteTable &Table) {
  const Function &F = MF.getFunction();
  StringRef ExecuteOnly = Table.Layout->ExecuteOnlyFeature;
  if (!ExecuteOnly.empty() && MF.getSubtarget().checkFeatures(ExecuteOnly))
    return "its code is execute-only (-mexecute-only), so a slot in it cannot be read";
  if (Table.KernelMode)
    return nullptr;
  if (F.hasFnAttribute("patchable-function-entry"))
    return "-fpatchable-function-entry claims its entry";
  if (F.hasFnAttribute("patchable-function"))
    return "hot patching claims its first instruction";
  if (F.hasFnAttribute("split-stack"))
    return "-fsplit-stack: linkers rewrite its first instructions";
  if (any_of(Table.Registers.Scratch, [&](MCRegister Register) {
        return MF.getRegInfo().isReserved(Register);
      }))
    return "a register that tracing changes is reserved (-ffixed-...)";
  return nullptr;
}

static bool hasFewerInstructions(const MachineFunction &MF, unsigned Limit) {
  unsigned Count = 0;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB.instrs())
      if (!MI.isMetaInstruction() && ++Count >= Limit)
        return false;
  return Count < Limit;
}

static bool hasLoop(const MachineFunction &MF) {
  MachineDominatorTree Dominators(const_cast<MachineFunction &>(MF));
  return !MachineLoopInfo(Dominators).empty();
}

/// Returns why a function is too small for a slot, or null. As in XRay, a
/// function with a loop is never too small, because it may run for long. Unlike
/// in XRay, debug and unwind information does not count, so -g has no effect.
static const char *whyTooSmall(const MachineFunction &MF) {
  if (!hasFewerInstructions(MF, options().InstructionThreshold))
    return nullptr;
  if (options().IgnoreLoops)
    return "it has fewer instructions than -patchbay-instruction-threshold";
  return hasLoop(MF) ? nullptr
                     : "it has fewer instructions than "
                       "-patchbay-instruction-threshold, and no loop";
}

Choice patchbay::choose(const MachineFunction &MF, const SiteTable &Table,
                        const Requests &Requested) {
  const Function &F = MF.getFunction();
  const Request R = Table.KernelMode ? Request() : Requested.find(F);
  const char *OfFunction = whyNotFunction(MF, Table);
  const char *OfFlags = whyNotByFlags(MF, Table);
  if (const char *Obstacle = OfFunction ? OfFunction : OfFlags) {
    // Do not warn about functions of a file that is requested as a whole.
    if (R.Wish == Request::Always && R.OfFunction)
      warn(F, Twine(R.Reason) + ", but has no slot: " + Obstacle);
    return {false, Obstacle, !OfFunction && R.Wish != Request::Never};
  }
  if (R.Wish != Request::None)
    return {R.Wish == Request::Always, R.Reason};
  const char *TooSmall = Table.KernelMode ? nullptr : whyTooSmall(MF);
  return {!TooSmall, TooSmall};
}
