// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

using namespace patchbay;

const SlotLayout &patchbay::layoutAArch64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_AARCH64;
    // bti c, and bti jc, which it is in a block that is also jumped to.
    L.LandingPads = "HINT 34;HINT 38";
    L.Behind = "unpack-mi-bundles";
    L.BranchReach = 1 << 15;
    L.Directives = "EMITBKEY;EMITMTETAGGED";
    L.ImpliedLandingPads = "PACIASP;PACIBSP";
    L.LandingPadAttribute = "branch-target-enforcement";
    L.OwnLandingPad = "HINT 34";
    L.SiteSize = PATCHBAY_AARCH64_SITE_SIZE;
    L.Site = "ORRXrs X9 XZR LR 0;HINT 0"; // mov x9, x30; nop
    L.ScratchRegisters = "X8 X9 X10 X11 X12 X13 X14 X15";
    L.ExecuteOnlyFeature = "+execute-only";
    L.ModeAttributes = "aarch64_";
    L.ResultPointerIsArgument = false;
    L.IntegerRegisters = "X0 X1 X2 X3 X4 X5 X6 X7";
    L.FloatRegisters = "Q0 Q1 Q2 Q3 Q4 Q5 Q6 Q7";
    L.OtherKeptRegisters = "X8 X15 X18";
    L.ResultFloats = 4;
    return L;
  }();
  return Layout;
}
