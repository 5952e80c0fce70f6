// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PATCHBAY_LLVM_PASS_OPSSLOTPASS_H
#define PATCHBAY_LLVM_PASS_OPSSLOTPASS_H

#include "Requests.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include <string>

namespace llvm {
class PassRegistry;
void initializeOpsSlotLegacyPass(PassRegistry &);
} // namespace llvm

namespace patchbay {

struct SiteTable;

/// Gives functions of one module their slots.
class OpsSlotPass {
  SiteTable *Table = nullptr;
  enum { Unseen, Refused, Accepted } State = Unseen;
  bool KernelMode = false;
  std::string Refusal;
  Requests Requested;
  /// How many functions have a slot; and why others have none, and how many for
  /// each reason. Those that LLVM made up do not count.
  unsigned NumInstrumented = 0;
  llvm::MapVector<llvm::StringRef, unsigned> Skipped;
  bool ForbiddenByFlags = false;

  bool accepts(llvm::MachineFunction &MF);
  bool skip(const llvm::MachineFunction &MF, llvm::StringRef Reason);

public:
  void begin(llvm::Module &M, SiteTable &Table);
  bool run(llvm::MachineFunction &MF, llvm::MachineModuleInfo &MMI);

  /// Says so if no function got a slot, and the user cannot have meant that.
  void end(const llvm::Module &M);
};

/// clang 22 generates code with the legacy pass manager.
class OpsSlotLegacy : public llvm::MachineFunctionPass {
  OpsSlotPass Worker;

public:
  static char ID;
  OpsSlotLegacy();
  void getAnalysisUsage(llvm::AnalysisUsage &AU) const override;
  bool doInitialization(llvm::Module &M) override;
  bool doFinalization(llvm::Module &M) override;
  bool runOnMachineFunction(llvm::MachineFunction &MF) override;
  llvm::StringRef getPassName() const override;
  llvm::MachineFunctionProperties getRequiredProperties() const override;
};

} // namespace patchbay

#endif
