// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Diagnostics.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace patchbay;

namespace {

class Warning : public DiagnosticInfo {
  const Twine &Message;

  // Plugin kinds are handed out at run time; one is enough for all of ours.
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }

public:
  explicit Warning(const Twine &Message)
      : DiagnosticInfo(static_cast<DiagnosticKind>(kind()), DS_Warning),
        Message(Message) {}
  void print(DiagnosticPrinter &DP) const override { DP << Message; }
};

} // namespace

void patchbay::warn(const Module &M, const Twine &Message) {
  M.getContext().diagnose(
      Warning("patchbay: " + Twine(M.getSourceFileName()) + ": " + Message));
}

// The emitter's frequency analysis is left out: remarks about every function
// do not need hotness, and the pass shall not make others run.
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
                                  unsigned PrefixSize, bool KernelMode) {
  emit<MachineOptimizationRemark>(MF, "Instrumented", [&](auto &R) {
    R << ore::NV("Function", MF.getName())
      << (KernelMode ? ": slot, prefix of " : ": slot and site, prefix of ")
      << ore::NV("PrefixSize", PrefixSize) << " bytes";
  });
}

void patchbay::remarkSkipped(const MachineFunction &MF, StringRef Reason) {
  emit<MachineOptimizationRemarkMissed>(MF, "Skipped", [&](auto &R) {
    R << ore::NV("Function", MF.getName())
      << ": no slot: " << ore::NV("Reason", Reason);
  });
}
