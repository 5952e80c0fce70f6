// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

using namespace llvm;
using namespace patchbay;

// lpad is auipc with no result.
constexpr LandingPad LandingPads[] = {{"AUIPC", CodeOperand("X0")}};
constexpr StringLiteral IntegerRegisters[] = {"X10", "X11", "X12", "X13",
                                              "X14", "X15", "X16", "X17"};
constexpr StringLiteral FloatRegisters[] = {"F10_D", "F11_D", "F12_D", "F13_D",
                                            "F14_D", "F15_D", "F16_D", "F17_D"};
constexpr StringLiteral OtherKeptRegisters[] = {"X7", "X28"};
constexpr StringLiteral ScratchRegisters[] = {
    "X5",  "X6",  "X7",  "X10", "X11", "X12", "X13", "X14",
    "X15", "X16", "X17", "X28", "X29", "X30", "X31"};

// nop; nop
constexpr CodeOperand NOP[] = {"X0", "X0", int64_t(0)};
constexpr CodeTemplate Site[] = {{"ADDI", NOP}, {"ADDI", NOP}};

const SlotLayout &patchbay::layoutRISCV64() {
  static const SlotLayout Layout = [] {
    SlotLayout L;
    L.PadWord = PadOf_RISCV64;
    L.FillByte = 0; // Zeros are an illegal instruction.
    L.LandingPads = LandingPads;
    L.LandingPadSize = PATCHBAY_RISCV64_LPAD_SIZE;
    L.Behind = "funclet-layout";
    L.BranchReach = 1 << 12;
    L.SiteSize = PATCHBAY_RISCV64_SITE_SIZE;
    L.Site = Site;
    L.ScratchRegisters = ScratchRegisters;
    L.TextBefore = "\t.option\tpush\n\t.option\tnorvc";
    L.TextAfter = "\t.option\tpop";
    L.IntegerRegisters = IntegerRegisters;
    L.FloatRegisters = FloatRegisters;
    L.ResultVectors = false;
    L.OtherKeptRegisters = OtherKeptRegisters;
    return L;
  }();
  return Layout;
}
