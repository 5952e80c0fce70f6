// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

using namespace patchbay;

const SlotLayout &patchbay::layoutRISCV64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_RISCV64;
    L.LandingPads = "AUIPC X0"; // lpad is auipc with no result.
    L.Behind = "funclet-layout";
    L.BranchReach = 1 << 12;
    L.SiteSize = PATCHBAY_RISCV64_SITE_SIZE;
    L.Site = "ADDI X0 X0 0;ADDI X0 X0 0"; // nop; nop
    L.ScratchRegisters =
        "X5 X6 X7 X10 X11 X12 X13 X14 X15 X16 X17 X28 X29 X30 X31";
    L.TextBefore = "\t.option\tpush\n\t.option\tnorvc";
    L.TextAfter = "\t.option\tpop";
    L.IntegerRegisters = "X10 X11 X12 X13 X14 X15 X16 X17";
    L.FloatRegisters = "F10_D F11_D F12_D F13_D F14_D F15_D F16_D F17_D";
    L.ResultVectors = false;
    L.OtherKeptRegisters = "X7 X28";
    return L;
  }();
  return Layout;
}
