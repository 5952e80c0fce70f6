// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpsSlotPass.h"
#include "Diagnostics.h"
#include "Options.h"
#include "Selection.h"
#include "SlotEmitter.h"
#include "SlotLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

/// Decides about the module when its first function comes, and says so once.
bool OpsSlotPass::accepts(const MachineFunction &MF) {
  if (Module == Unseen) {
    const TargetMachine &TM = MF.getTarget();
    const llvm::Module &M = *MF.getFunction().getParent();
    Layout = findSlotLayout(TM.getTargetTriple());
    std::string Reason = whyNotModule(TM, Layout);
    if (!Reason.empty())
      warn(M, Reason);
    Module = Reason.empty() ? Accepted : Refused;
  }
  return Module == Accepted;
}

bool OpsSlotPass::run(MachineFunction &MF) {
  if (Disable || !accepts(MF))
    return false;
  if (const char *Reason = whyNotFunction(MF)) {
    remarkSkipped(MF, Reason);
    return false;
  }
  unsigned PrefixSize = emitSlot(MF, *Layout, !EmittedObjectParts);
  EmittedObjectParts = true;
  remarkInstrumented(MF, PrefixSize);
  return true;
}

char OpsSlotLegacy::ID = 0;

OpsSlotLegacy::OpsSlotLegacy() : MachineFunctionPass(ID) {}

bool OpsSlotLegacy::doInitialization(Module &M) {
  Worker = OpsSlotPass();
  return false;
}

bool OpsSlotLegacy::runOnMachineFunction(MachineFunction &MF) {
  return Worker.run(MF);
}

StringRef OpsSlotLegacy::getPassName() const { return "Patchbay slots"; }

MachineFunctionProperties OpsSlotLegacy::getRequiredProperties() const {
  return MachineFunctionProperties().setNoVRegs();
}

INITIALIZE_PASS(OpsSlotLegacy, PassName, "Patchbay slots", false, false)
