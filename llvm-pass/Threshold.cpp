// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in XRay, a function with a loop is never too small, because it may run for
// long. Unlike in XRay, only what becomes code counts: there debug and unwind
// information counts as well, and -g changes what is instrumented.
#include "Threshold.h"
#include "Options.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

using namespace llvm;
using namespace patchbay;

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

const char *patchbay::whyTooSmall(const MachineFunction &MF) {
  if (!hasFewerInstructions(MF, options().InstructionThreshold))
    return nullptr;
  if (options().IgnoreLoops)
    return "it has fewer instructions than -patchbay-instruction-threshold";
  if (!hasLoop(MF))
    return "it has fewer instructions than -patchbay-instruction-threshold, "
           "and no loop";
  return nullptr;
}
