// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pass.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;
using namespace patchbay;

void patchbay::warn(const Module &M, const Twine &Message) {
  M.getContext().diagnose(DiagnosticInfoGeneric(
      "patchbay: " + Twine(M.getSourceFileName()) + ": " + Message,
      DS_Warning));
}

// The message contains the location, which clang does not print for a plugin.
void patchbay::warn(const Function &F, const Twine &Message) {
  const DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return warn(*F.getParent(), F.getName() + ": " + Message);
  F.getContext().diagnose(DiagnosticInfoGeneric(
      "patchbay: " + Twine(SP->getFilename()) + ":" + Twine(SP->getLine()) +
          ": " + F.getName() + ": " + Message,
      DS_Warning));
}

void patchbay::error(const Module &M, const Twine &Message) {
  M.getContext().diagnose(DiagnosticInfoGeneric("patchbay: " + Message));
}

// Passes no frequency analysis to the emitter: these remarks need no hotness,
// and the pass must not make other passes run.
template <typename Remark, typename Fill>
static void emit(const MachineFunction &MF, StringRef Name, Fill &&FillIn) {
  MachineOptimizationRemarkEmitter ORE(const_cast<MachineFunction &>(MF),
                                       nullptr);
  ORE.emit([&] {
    Remark R(PassName, Name,
             DiagnosticLocation(MF.getFunction().getSubprogram()),
             MF.empty() ? nullptr : &MF.front());
    FillIn(R);
    return R;
  });
}

void patchbay::remarkInstrumented(const MachineFunction &MF,
                                  unsigned PrefixSize, bool KernelMode,
                                  const char *Reason) {
  emit<MachineOptimizationRemark>(MF, "Instrumented", [&](auto &R) {
    R << ore::NV("Function", MF.getName())
      << (KernelMode ? ": slot, prefix of " : ": slot and site, prefix of ")
      << ore::NV("PrefixSize", PrefixSize) << " bytes";
    if (Reason)
      R << ": " << ore::NV("Reason", Reason);
  });
}

void patchbay::remarkSkipped(const MachineFunction &MF, StringRef Reason) {
  emit<MachineOptimizationRemarkMissed>(MF, "Skipped", [&](auto &R) {
    R << ore::NV("Function", MF.getName())
      << ": no slot: " << ore::NV("Reason", Reason);
  });
}
