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

/// Gives functions of one module their slots.
class OpsSlotPass : public llvm::MachineFunctionPass {
  SiteTable *Table = nullptr;
  /// Why the module has no slots; empty if it has. Known with its first function.
  std::optional<std::string> Refusal;
  bool ListFailed = false;
  Requests Requested;
  /// How many functions have a slot; and why others have none, and how many for
  /// each reason. Those that LLVM made up do not count.
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

  /// Says so if no function got a slot, and the user cannot have meant that.
  bool doFinalization(llvm::Module &M) override;
  llvm::StringRef getPassName() const override { return "Patchbay slots"; }
  llvm::MachineFunctionProperties getRequiredProperties() const override {
    return llvm::MachineFunctionProperties().setNoVRegs();
  }
};

} // namespace patchbay

#endif
