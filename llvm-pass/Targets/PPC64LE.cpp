// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

static const char *whyNotModule(const TargetMachine &TM) {
  if (TM.Options.MCOptions.getABIName() == "elfv1")
    return "-mabi=elfv1 makes an entry a descriptor, not code; nothing is "
           "instrumented";
  return nullptr;
}

const SlotLayout &patchbay::layoutPPC64LE() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_PPC64LE;
    L.LowersKCFIInIR = true;
    L.Behind = "ppc-branch-select";
    L.BranchReach = 1 << 15;
    L.SiteSize = PATCHBAY_PPC64LE_SITE_SIZE;
    L.Site = "NOP";
    L.WhyNotModule = whyNotModule;
    // The linkage area, and the save area of the registers.
    L.StackArgumentsOffset = 96;
    L.FastStackIsC = false;
    L.IntegerRegisters = "X3 X4 X5 X6 X7 X8 X9 X10";
    L.FloatRegisters = "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13";
    L.OtherKeptRegisters =
        "X2 X11 LR8 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13";
    L.ResultFloats = 8;
    return L;
  }();
  return Layout;
}
