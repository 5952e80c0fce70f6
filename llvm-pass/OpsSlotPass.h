// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PATCHBAY_LLVM_PASS_OPSSLOTPASS_H
#define PATCHBAY_LLVM_PASS_OPSSLOTPASS_H

#include "Requests.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include <optional>
#include <string>

namespace llvm {
class PassRegistry;
void initializeOpsSlotPassPass(PassRegistry &);
} // namespace llvm

namespace patchbay {

struct SiteTable;

/// Adds slots to the functions of a module.
class OpsSlotPass : public llvm::MachineFunctionPass {
  SiteTable *Table = nullptr;
  /// Why the module has no slots; empty if it has. Unset before its first
  /// function.
  std::optional<std::string> Refusal;
  bool ListFailed = false;
  Requests Requested;
  /// The number of functions with a slot; and of those without, by the reason.
  /// Synthesized functions do not count.
  unsigned NumInstrumented = 0;
  llvm::MapVector<llvm::StringRef, unsigned> Skipped;
  bool ForbiddenByFlags = false;

  bool accepts(llvm::MachineFunction &MF);
  bool skip(const llvm::MachineFunction &MF, llvm::StringRef Reason);

public:
  static char ID;
  OpsSlotPass() : MachineFunctionPass(ID) {}
  void getAnalysisUsage(llvm::AnalysisUsage &AU) const override;
  bool doInitialization(llvm::Module &M) override;
  bool runOnMachineFunction(llvm::MachineFunction &MF) override;

  /// Warns if no function got a slot because of an option of the command line;
  /// an error with -patchbay-require.
  bool doFinalization(llvm::Module &M) override;
  llvm::StringRef getPassName() const override { return "Patchbay slots"; }
  llvm::MachineFunctionProperties getRequiredProperties() const override {
    return llvm::MachineFunctionProperties().setNoVRegs();
  }
};

} // namespace patchbay

#endif
