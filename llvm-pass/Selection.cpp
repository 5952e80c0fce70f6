// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Selection.h"
#include "Arguments.h"
#include "Diagnostics.h"
#include "Requests.h"
#include "SlotLayout.h"
#include "Threshold.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::whyNotModule(const TargetMachine &TM,
                                   const SlotLayout *Layout) {
  if (!Layout)
    return "target '" + TM.getTargetTriple().str() +
           "' has no slots; nothing is instrumented";
  // A record is 32 bits, relative to itself.
  if (TM.getCodeModel() == CodeModel::Large)
    return "-mcmodel=large puts functions out of a record's reach; nothing is "
           "instrumented";
  if (const char *Reason =
          Layout->WhyNotModule ? Layout->WhyNotModule(TM) : nullptr)
    return Reason;
  // Callers would rely on registers that the function leaves alone and its
  // tracer does not.
  if (TM.Options.EnableIPRA)
    return "interprocedural register allocation (-enable-ipra) does not know "
           "of tracers; nothing is instrumented";
  return {};
}

bool patchbay::isSynthesized(const Function &F) {
  StringRef Name = F.getName();
  return Name.contains(".module_ctor") || Name.contains(".module_dtor") ||
         Name.starts_with(".cfi.jumptable") || Name.starts_with("__llvm_");
}

// A trampoline saves what the C convention lets a callee expect and a caller
// lose. Only where both hold is it safe to call one at the entry; everywhere
// else arguments may be in its scratch registers, or callers may expect more
// registers to survive.
static bool keepsCConvention(const MachineFunction &MF,
                             const SlotLayout &Layout,
                             const ArgumentRegisters &Registers) {
  const CallingConv::ID Convention = MF.getFunction().getCallingConv();
  if (Convention == CallingConv::C || Convention == Layout.NameOfC)
    return true;
  return Convention == CallingConv::Fast &&
         !MF.getTarget().Options.GuaranteedTailCallOpt &&
         !usesAny(MF, Registers.Fast);
}

// Callers keep values in more vector registers across such calls than across
// those of the C convention.
static bool hasScalableVectors(const Function &F) {
  return F.getReturnType()->isScalableTy() ||
         any_of(F.args(), [](const Argument &Arg) {
           return Arg.getType()->isScalableTy();
         });
}

static bool usesMode(const Function &F, const SlotLayout &Layout) {
  return !Layout.ModeAttributes.empty() &&
         any_of(F.getAttributes().getFnAttrs(), [&](Attribute A) {
           return A.isStringAttribute() &&
                  A.getKindAsString().starts_with(Layout.ModeAttributes);
         });
}

const char *patchbay::whyNotFunction(const MachineFunction &MF, bool KernelMode,
                                     const SlotLayout &Layout,
                                     const ArgumentRegisters &Registers) {
  const Function &F = MF.getFunction();
  if (MF.empty() || F.hasAvailableExternallyLinkage())
    return "it has no body in this object";
  if (F.hasFnAttribute(Attribute::Naked))
    return "it is naked: its first instruction is its author's";
  if (KernelMode && !F.hasFnAttribute("patchable-function-entry"))
    return "it has no -fpatchable-function-entry, which kernel mode goes by";
  if (KernelMode &&
      !F.getFnAttributeAsParsedInteger("patchable-function-entry"))
    return "-fpatchable-function-entry puts all of its NOPs before the entry";
  if (MF.isOutlined())
    return "it is outlined code: its callers have values in every register";
  if (F.hasFnAttribute("interrupt"))
    return "it handles interrupts, which may come where any register is in use";
  if (F.hasFnAttribute("no_caller_saved_registers"))
    return "it is marked no_caller_saved_registers, which a tracer cannot keep";
  if (F.hasPrefixData())
    return "it has prefix data already";
  if (F.hasPrologueData())
    return "it has prologue data, which must be at the entry";
  if (any_of(F.users(), [](const User *U) { return isa<GlobalIFunc>(U); }))
    return "it is an ifunc resolver, which runs before relocation is done";
  if (!keepsCConvention(MF, Layout, Registers))
    return "its calling convention is not C's";
  if (F.getName() == "__cfi_check")
    return "it is called by -fsanitize=cfi alone, and aligned to a page";
  if (hasScalableVectors(F))
    return "scalable vectors give it a calling convention of its own";
  if (usesMode(F, Layout))
    return "it uses streaming mode or ZA state, which a tracer does not expect";
  return nullptr;
}

const char *patchbay::whyNotByFlags(const MachineFunction &MF, bool KernelMode,
                                    const ArgumentRegisters &Registers) {
  const Function &F = MF.getFunction();
  if (!KernelMode && F.hasFnAttribute("patchable-function-entry"))
    return "-fpatchable-function-entry claims its entry";
  if (F.hasFnAttribute("patchable-function"))
    return "hot patching claims its first instruction";
  if (F.hasFnAttribute("split-stack"))
    return "-fsplit-stack: linkers rewrite its first instructions";
  if (any_of(Registers.Site, [&](MCRegister Register) {
        return MF.getRegInfo().isReserved(Register);
      }))
    return "a register that its site changes is reserved (-ffixed-...)";
  return nullptr;
}

Choice patchbay::choose(const MachineFunction &MF, bool KernelMode,
                        const SlotLayout &Layout,
                        const ArgumentRegisters &Registers,
                        const Requests &Requested) {
  const Function &F = MF.getFunction();
  const Request R = Requested.find(F);
  const char *OfFunction = whyNotFunction(MF, KernelMode, Layout, Registers);
  const char *OfFlags = whyNotByFlags(MF, KernelMode, Registers);
  if (const char *Obstacle = OfFunction ? OfFunction : OfFlags) {
    // Only who asks for one function by name counts on it.
    if (R.Wish == Request::Always && R.OfFunction)
      warn(F, Twine(R.Reason) + ", but has no slot: " + Obstacle);
    return {false, Obstacle, !OfFunction && R.Wish != Request::Never};
  }
  if (R.Wish != Request::None)
    return {R.Wish == Request::Always, R.Reason};
  const char *TooSmall = whyTooSmall(MF);
  return {!TooSmall, TooSmall};
}
